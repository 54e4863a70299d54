// Runs before the first paint, so that a chosen theme does not flash. Everything else is in modules.
(function () {
  try {
    const theme = localStorage.getItem("citewell-theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // Storage is refused in some private windows: the system's theme stands.
  }
})();
