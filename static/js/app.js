// The page's behaviour; every module says in its first lines which data-attributes it answers to.
import * as chat from "./chat.js";
import "./copy.js";
import * as dialogs from "./dialogs.js";
import * as dropzone from "./dropzone.js";
import "./keyboard.js";
import "./panel.js";
import * as theme from "./theme.js";
import * as toasts from "./toast.js";

const PARTS = [theme, dialogs, dropzone, chat, toasts];

function start(root) {
  for (const part of PARTS) part.start(root);
  root.querySelector("[data-autofocus]")?.focus();
}

// [data-submit-on-change] on a select or a checkbox sends its form as soon as it is changed.
document.addEventListener("change", (event) => {
  if (event.target.matches?.("[data-submit-on-change]")) event.target.form.requestSubmit();
});

// What htmx could not do is told; the source panel tells it in its own place.
const words = document.getElementById("page-words");
document.addEventListener("htmx:sendError", () => toasts.toast(words.dataset.network, "error"));
document.addEventListener("htmx:responseError", (event) => {
  if (event.detail.target?.id !== "source-panel-body") toasts.toast(words.dataset.refused, "error");
});
document.addEventListener("htmx:load", (event) => {
  if (event.detail.elt.parentElement) start(event.detail.elt.parentElement);
});

start(document);
