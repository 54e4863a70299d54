// [data-toast] goes away by itself after six seconds unless it says "stay" or is being read.
const SECONDS = 6;

/** Show a short message; level is info, success, warning or error (errors stay). */
export function toast(text, level = "info") {
  const template = document.getElementById("toast-template");
  const region = document.getElementById("toasts");
  if (!template || !region) return;
  const node = template.content.firstElementChild.cloneNode(true);
  node.className = `toast toast-${level}`;
  if (level === "error") {
    node.setAttribute("role", "alert");
    node.dataset.toast = "stay";
  }
  node.querySelector("p").textContent = text;
  region.append(node);
  start(region);
}

export function start(root) {
  for (const node of root.querySelectorAll("[data-toast]")) {
    if (node.dataset.toast === "stay" || node.dataset.started) continue;
    node.dataset.started = "yes";
    const leave = () => {
      if (node.matches(":hover, :focus-within")) setTimeout(leave, 2000);
      else node.remove();
    };
    setTimeout(leave, SECONDS * 1000);
  }
}

document.addEventListener("click", (event) => {
  event.target.closest("[data-toast-close]")?.closest("[data-toast]")?.remove();
});
