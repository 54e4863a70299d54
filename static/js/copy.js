// [data-copy="TEXT"] copies TEXT; [data-copy-from="CSS SELECTOR"] copies that element's words.
// [data-copied] holds the word shown for a moment in [data-copy-note] inside, or as a toast.
import { toast } from "./toast.js";

async function put(text) {
  if (navigator.clipboard && window.isSecureContext) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "visually-hidden";
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy], [data-copy-from]");
  if (!button) return;
  const from = button.dataset.copyFrom;
  const text = from ? document.querySelector(from)?.innerText ?? "" : button.dataset.copy;
  await put(text);
  button.focus();
  const note = button.querySelector("[data-copy-note]");
  if (!note) return toast(button.dataset.copied || "", "success");
  note.textContent = button.dataset.copied;
  setTimeout(() => (note.textContent = ""), 2500);
});
