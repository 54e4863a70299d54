// [data-chat="URL"] (templates/components/chat.html): POSTs {question, conversation, stream} as JSON and reads the answer
// as server-sent events: started, step, sources, delta, citation, revised, completed, error, ping.
import { body, sourceList } from "./answer.js";
import { icon, make } from "./dom.js";
import { events } from "./sse.js";

/** One answer while it grows: its state, and its nodes. */
class Growing {
  constructor(chat) {
    this.chat = chat;
    this.answer = { text: "", citations: [], sources: [] };
    this.steps = make("p", { class: "message-steps" }, make("span", { class: "spinner", "aria-hidden": "true" }), make("span", {}, chat.dataset.wordsLooking));
    this.body = make("div", { class: "message-body" });
    this.foot = make("div", { class: "stack-tight" });
    this.node = make("article", { class: "message message-answer is-streaming", "aria-busy": "true" }, this.steps, this.body, this.foot);
    this.drawing = 0;
  }

  /** At most one drawing a frame, however fast words arrive. */
  draw() {
    if (this.drawing) return;
    this.drawing = requestAnimationFrame(() => {
      this.drawing = 0;
      this.body.replaceChildren(body(this.answer, this.chat));
      follow(this.chat);
    });
  }

  step(words) {
    this.steps.lastElementChild.textContent = words;
  }

  end() {
    cancelAnimationFrame(this.drawing);
    this.steps.remove();
    this.node.classList.remove("is-streaming");
    this.node.removeAttribute("aria-busy");
    this.node.classList.toggle("message-not-found", this.answer.status === "not_found");
    this.body.replaceChildren(body(this.answer, this.chat));
    const list = sourceList(this.answer, this.chat);
    this.foot.replaceChildren(...(list ? [list] : []), ...(this.answer.text ? [this.tools()] : []));
    follow(this.chat);
  }

  tools() {
    const { wordsCopy, wordsCopied, icons } = this.chat.dataset;
    const copy = make("button", { type: "button", class: "icon-button", "data-copy": this.answer.text, "data-copied": wordsCopied, "aria-label": wordsCopy }, icon(icons, "copy"), make("span", { class: "code-label", "data-copy-note": true, "aria-live": "polite" }));
    return make("div", { class: "message-foot" }, copy);
  }

  fail(words, retry) {
    this.end();
    const again = make("button", { type: "button", class: "button button-secondary button-small" }, this.chat.dataset.wordsRetry);
    again.addEventListener("click", retry);
    this.foot.append(make("div", { class: "notice notice-error", role: "alert" }, icon(this.chat.dataset.icons, "alert"), make("div", { class: "stack-tight" }, make("p", {}, words), again)));
    follow(this.chat);
  }
}

function follow(chat) {
  const log = chat.querySelector("[data-chat-log]");
  const near = log.scrollHeight - log.scrollTop - log.clientHeight < 240;
  if (near) log.scrollTop = log.scrollHeight;
}

const wordsOf = (data) => (typeof data === "string" ? data : data?.words ?? data?.text ?? data?.name ?? "");
const listOf = (data, key) => (Array.isArray(data) ? data : data?.[key] ?? []);

/** Take one event in; returns true when the answer is whole. Unknown events are passed over. */
function take(growing, chat, { event, data }) {
  const { answer } = growing;
  if (event === "started") {
    if (data.conversation) chat.dataset.conversation = data.conversation;
  } else if (event === "step") growing.step(wordsOf(data));
  else if (event === "sources") answer.sources = listOf(data, "sources");
  else if (event === "delta") answer.text += wordsOf(data);
  else if (event === "citation") answer.citations.push(data.citation ?? data);
  else if (event === "revised") {
    answer.text = wordsOf(data);
    answer.citations = data.citations ?? [];
  } else if (event === "completed") {
    Object.assign(answer, data.answer ?? data);
    if (answer.conversation) chat.dataset.conversation = answer.conversation;
    return true;
  } else if (event === "error") throw Object.assign(new Error(data?.detail || data?.title || ""), { told: true });
  if (event === "delta" || event === "citation" || event === "revised") growing.draw();
  return false;
}

async function stream(chat, question, growing, signal) {
  const response = await fetch(chat.dataset.chat, {
    method: "POST",
    signal,
    credentials: "same-origin",
    headers: { "Content-Type": "application/json", Accept: "text/event-stream", "X-CSRFToken": chat.dataset.csrf },
    body: JSON.stringify({ question, conversation: chat.dataset.conversation || null, stream: true }),
  });
  if (!response.ok) {
    const problem = await response.json().catch(() => ({}));
    throw Object.assign(new Error(problem.detail || problem.title || ""), { told: true });
  }
  for await (const event of events(response)) if (take(growing, chat, event)) return;
  throw Object.assign(new Error(""), { told: true });
}

function mode(chat, busy) {
  chat.querySelector("[data-chat-send]").hidden = busy;
  chat.querySelector("[data-chat-stop]").hidden = !busy;
}

async function ask(chat, question) {
  if (chat.controller || !question.trim()) return;
  const log = chat.querySelector("[data-chat-log]");
  chat.querySelector("[data-chat-welcome]")?.remove();
  const growing = new Growing(chat);
  log.append(make("article", { class: "message message-user" }, make("div", { class: "message-body" }, question)), growing.node);
  log.scrollTop = log.scrollHeight;
  chat.controller = new AbortController();
  mode(chat, true);
  try {
    await stream(chat, question, growing, chat.controller.signal);
    if (growing.answer.status === "needs_input" && growing.answer.input) chat.querySelector("textarea").value = growing.answer.input;
    growing.end();
    chat.dispatchEvent(new CustomEvent("chat:completed", { bubbles: true, detail: growing.answer }));
  } catch (error) {
    failed(chat, growing, error, question);
  } finally {
    chat.controller = null;
    mode(chat, false);
    if (matchMedia("(pointer: fine)").matches) chat.querySelector("textarea").focus();
  }
}

function failed(chat, growing, error, question) {
  if (error.name === "AbortError") {
    growing.end();
    growing.foot.append(make("p", { class: "muted small", role: "status" }, chat.dataset.wordsStopped));
    return;
  }
  const words = error.told ? error.message || chat.dataset.wordsFailed : chat.dataset.wordsLost;
  growing.fail(words, () => {
    growing.node.previousElementSibling?.remove();
    growing.node.remove();
    ask(chat, question);
  });
}

function begin(chat) {
  const form = chat.querySelector("[data-chat-composer]");
  const box = form.querySelector("textarea");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (chat.controller) return;
    const question = box.value;
    box.value = "";
    ask(chat, question);
  });
  box.addEventListener("keydown", (event) => {
    // Enter that ends the composition of a Korean, Japanese or Chinese word does not send.
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing && event.keyCode !== 229) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  chat.addEventListener("click", (event) => {
    const asked = event.target.closest("[data-chat-ask]");
    if (asked) ask(chat, asked.dataset.chatAsk);
    if (event.target.closest("[data-chat-stop]")) chat.controller?.abort();
  });
}

/** Give a kept answer its Markdown and chips from its json_script element. */
function upgrade(message, chat) {
  const data = document.getElementById(message.dataset.answer);
  if (!data) return;
  const answer = JSON.parse(data.textContent);
  message.querySelector(".message-body").replaceChildren(body(answer, chat));
  const list = sourceList(answer, chat);
  if (list) {
    list.open = false;
    message.querySelector("[data-answer-sources]").replaceChildren(list);
  }
}

export function start(root) {
  for (const chat of root.querySelectorAll("[data-chat]")) {
    if (chat.dataset.started) continue;
    chat.dataset.started = "yes";
    for (const message of chat.querySelectorAll("[data-answer]")) upgrade(message, chat);
    begin(chat);
    const log = chat.querySelector("[data-chat-log]");
    log.scrollTop = log.scrollHeight;
  }
}
