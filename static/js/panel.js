// [data-source-open] (a link or a button with data-source-open="URL") opens the passage at its address in #source-panel.
// The answer is a fragment of our own server, fetched with HX-Request and put in by htmx; a click with a modifier key,
// or a page without a panel, follows the link.
import { safeAddress } from "./dom.js";

let opener = null;

function own(address) {
  const url = safeAddress(address);
  return url && new URL(url).origin === location.origin ? url : null;
}

async function open(trigger, address) {
  const panel = document.getElementById("source-panel");
  const body = document.getElementById("source-panel-body");
  opener?.removeAttribute("aria-expanded");
  opener = trigger;
  trigger.setAttribute("aria-expanded", "true");
  panel.hidden = false;
  body.replaceChildren(...["", "", "skeleton-short"].map(skeleton));
  panel.focus();
  try {
    await window.htmx.ajax("GET", address, { target: body, swap: "innerHTML" });
    body.querySelector("mark")?.scrollIntoView({ block: "center" });
  } catch {
    failed();
  }
}

function skeleton(extra) {
  const line = document.createElement("span");
  line.className = `skeleton ${extra}`;
  return line;
}

function failed() {
  const panel = document.getElementById("source-panel");
  const words = document.createElement("p");
  words.textContent = panel.dataset.error;
  document.getElementById("source-panel-body").replaceChildren(words);
}

document.addEventListener("click", (event) => {
  const trigger = event.target.closest("[data-source-open]");
  const panel = document.getElementById("source-panel");
  if (trigger && panel && window.htmx && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    const address = own(trigger.dataset.sourceOpen || trigger.getAttribute("href"));
    if (!address) return;
    event.preventDefault();
    open(trigger, address);
  } else if (event.target.closest("[data-source-close]") && panel) {
    panel.hidden = true;
    opener?.removeAttribute("aria-expanded");
    opener?.focus();
  }
});

for (const name of ["htmx:responseError", "htmx:sendError"]) {
  document.addEventListener(name, (event) => {
    if (event.detail.target?.id === "source-panel-body") failed();
  });
}
