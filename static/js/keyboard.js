// "/" moves to the first visible [data-hotkey="/"]. Esc closes the source panel, or stops a streaming answer.
function typing(target) {
  return target.closest?.("input, textarea, select, [contenteditable]") !== null;
}

document.addEventListener("keydown", (event) => {
  if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/" && !typing(event.target) && !document.querySelector("dialog[open]")) {
    const field = [...document.querySelectorAll('[data-hotkey="/"]')].find((one) => one.offsetParent !== null);
    if (!field) return;
    event.preventDefault();
    field.focus();
  } else if (event.key === "Escape" && !document.querySelector("dialog[open], [popover]:popover-open")) {
    const close = document.querySelector("#source-panel:not([hidden]) [data-source-close]");
    const stop = document.querySelector("[data-chat-stop]:not([hidden])");
    (close || stop)?.click();
  }
});
