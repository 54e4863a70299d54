// [data-theme-toggle] goes round system, light, dark; the choice stays in this browser.
const ORDER = ["system", "light", "dark"];

function current() {
  return document.documentElement.dataset.theme || "system";
}

function name(button) {
  const words = button.querySelector("[data-theme-words]");
  if (words) words.textContent = button.getAttribute(`data-words-${current()}`);
}

function choose(theme) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem("citewell-theme", theme);
  } catch {
    // Storage is refused: the choice lasts for this page.
  }
}

export function start(root) {
  for (const button of root.querySelectorAll("[data-theme-toggle]")) name(button);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-theme-toggle]");
  if (!button) return;
  choose(ORDER[(ORDER.indexOf(current()) + 1) % ORDER.length]);
  name(button);
});
