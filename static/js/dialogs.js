// [data-dialog-open="ID"] opens a <dialog>, [data-dialog-close] closes the one around it, [data-dialog-start] is open
// from the start. [data-confirm-name="NAME"] on a form keeps its submit button disabled until NAME is typed.
function show(dialog) {
  if (dialog && !dialog.open) dialog.showModal();
}

const same = (a, b) => a.normalize("NFC").trim() === b.normalize("NFC").trim();

function guard(form) {
  const input = form.querySelector('[name="confirm"]');
  const button = form.querySelector('[type="submit"]');
  const check = () => {
    button.disabled = !same(input.value, form.dataset.confirmName);
  };
  input.addEventListener("input", check);
  form.addEventListener("submit", (event) => {
    if (!same(input.value, form.dataset.confirmName)) event.preventDefault();
  });
  form.closest("dialog")?.addEventListener("close", () => {
    input.value = "";
    check();
  });
  check();
}

export function start(root) {
  for (const form of root.querySelectorAll("form[data-confirm-name]")) {
    if (form.dataset.started) continue;
    form.dataset.started = "yes";
    guard(form);
  }
  for (const dialog of root.querySelectorAll("dialog[data-dialog-start]")) {
    dialog.removeAttribute("data-dialog-start");
    show(dialog);
  }
}

document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-dialog-open]");
  if (opener) show(document.getElementById(opener.dataset.dialogOpen));
  event.target.closest("[data-dialog-close]")?.closest("dialog")?.close();
  if (event.target instanceof HTMLDialogElement) {
    const box = event.target.getBoundingClientRect();
    const outside =
      event.clientX < box.left || event.clientX > box.right || event.clientY < box.top || event.clientY > box.bottom;
    // A press of Enter in a field arrives as a click at (0, 0): only a pointer closes the dialog.
    if (outside && event.detail > 0) event.target.close();
  }
});
