// [data-dropzone] (templates/components/dropzone.html): one multipart POST a file, three at a time, with progress and
// cancel. A file from a folder also sends its path in "path". The element named by data-refresh gets the event "uploaded".
const AT_ONCE = 3;

async function* filesOf(entry, path = "") {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    yield { file, path: path + file.name };
    return;
  }
  const reader = entry.createReader();
  while (true) {
    // A reader hands over at most a hundred entries a time.
    const batch = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!batch.length) return;
    for (const one of batch) yield* filesOf(one, `${path}${entry.name}/`);
  }
}

const hidden = (path) => path.split("/").some((part) => part.startsWith(".")) || path.endsWith("Thumbs.db");

class Zone {
  constructor(form) {
    this.form = form;
    this.list = form.querySelector("[data-dropzone-list]");
    this.row = form.querySelector("[data-dropzone-row]");
    this.input = form.querySelector("[data-dropzone-input]");
    this.waiting = [];
    this.running = 0;
    form.classList.add("is-enhanced");
    form.querySelector("[data-dropzone-buttons]").hidden = false;
    this.input.hidden = true;
    this.listen();
  }

  word(name) {
    return this.form.getAttribute(`data-words-${name}`);
  }

  listen() {
    const target = this.form.querySelector("[data-dropzone-target]");
    const over = (on) => (event) => {
      event.preventDefault();
      target.classList.toggle("is-over", on);
    };
    target.addEventListener("dragover", over(true));
    target.addEventListener("dragleave", over(false));
    target.addEventListener("drop", (event) => {
      over(false)(event);
      this.dropped(event.dataTransfer);
    });
    this.form.querySelector("[data-dropzone-pick]").addEventListener("click", () => this.pick(false));
    this.form.querySelector("[data-dropzone-folder]")?.addEventListener("click", () => this.pick(true));
    this.input.addEventListener("change", () => {
      for (const file of this.input.files) this.add(file, file.webkitRelativePath || file.name);
      this.input.value = "";
    });
    addEventListener("beforeunload", (event) => {
      if (this.running || this.waiting.length) event.preventDefault();
    });
  }

  pick(folder) {
    this.input.webkitdirectory = folder;
    this.input.click();
  }

  async dropped(transfer) {
    // Entries must be taken before the first await: the browser empties the transfer after the event.
    const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    if (!entries.length) for (const file of transfer.files) this.add(file, file.name);
    for (const entry of entries) for await (const { file, path } of filesOf(entry)) this.add(file, path);
  }

  refusal(file) {
    const most = Number(this.form.dataset.maxBytes || 0);
    const endings = this.input.accept.split(",").map((one) => one.trim().toLowerCase()).filter((one) => one.startsWith("."));
    if (endings.length && !endings.some((ending) => file.name.toLowerCase().endsWith(ending))) return this.word("type");
    if (most && file.size > most) return this.word("too-large");
    return file.size ? null : this.word("empty");
  }

  add(file, path) {
    if (hidden(path)) return;
    const node = this.row.content.firstElementChild.cloneNode(true);
    const upload = { file, path, node };
    node.querySelector("[data-upload-name]").textContent = path;
    node.querySelector("progress").setAttribute("aria-label", path);
    node.querySelector("[data-upload-cancel]").addEventListener("click", () => this.cancel(upload));
    node.querySelector("[data-upload-retry]").addEventListener("click", () => this.queue(upload));
    this.list.append(node);
    const refused = this.refusal(file);
    if (refused) this.mark(upload, "failed", "failed", refused);
    else this.queue(upload);
  }

  queue(upload) {
    this.mark(upload, "working", "waiting");
    this.waiting.push(upload);
    this.next();
  }

  next() {
    while (this.running < AT_ONCE && this.waiting.length) this.send(this.waiting.shift());
  }

  mark(upload, pill, word, note = "") {
    const state = upload.node.querySelector("[data-upload-state]");
    state.className = `pill pill-${pill}`;
    state.textContent = this.word(word);
    const told = upload.node.querySelector("[data-upload-note]");
    told.textContent = note;
    told.hidden = !note;
    upload.node.querySelector("progress").hidden = pill !== "working";
    upload.node.querySelector("[data-upload-retry]").hidden = !(pill === "failed" && upload.request) && word !== "cancelled";
    upload.done = pill !== "working";
  }

  cancel(upload) {
    if (upload.done) return upload.node.remove();
    const at = this.waiting.indexOf(upload);
    if (at >= 0) {
      this.waiting.splice(at, 1);
      this.mark(upload, "neutral", "cancelled");
    } else upload.request?.abort();
  }

  send(upload) {
    const data = new FormData();
    // The token first: it is in the header too, but a server may read the body in order.
    const token = this.form.querySelector('[name="csrfmiddlewaretoken"]')?.value ?? "";
    data.append("csrfmiddlewaretoken", token);
    data.append("path", upload.path);
    data.append(this.form.dataset.name, upload.file, upload.file.name);
    // fetch() cannot tell how much of a body is sent.
    const request = new XMLHttpRequest();
    upload.request = request;
    this.running += 1;
    this.mark(upload, "working", "sending");
    const bar = upload.node.querySelector("progress");
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable) bar.value = (100 * event.loaded) / event.total;
    });
    request.addEventListener("load", () => this.answered(upload, request));
    request.addEventListener("error", () => this.mark(upload, "failed", "failed", this.word("network")));
    request.addEventListener("abort", () => this.mark(upload, "neutral", "cancelled"));
    request.addEventListener("loadend", () => {
      this.running -= 1;
      this.next();
    });
    request.open("POST", this.form.action);
    request.setRequestHeader("X-CSRFToken", token);
    request.setRequestHeader("X-Requested-With", "XMLHttpRequest");
    request.setRequestHeader("Accept", "application/json");
    request.send(data);
  }

  answered(upload, request) {
    let told = {};
    try {
      told = JSON.parse(request.responseText);
    } catch {
      // Not JSON: the status alone speaks.
    }
    if (request.status >= 200 && request.status < 300) {
      this.mark(upload, "ready", "done");
      const listening = this.form.dataset.refresh && document.querySelector(this.form.dataset.refresh);
      listening?.dispatchEvent(new CustomEvent("uploaded", { bubbles: true, detail: told }));
    } else this.mark(upload, "failed", "failed", told.detail || told.title || this.word("network"));
  }
}

export function start(root) {
  for (const form of root.querySelectorAll("form[data-dropzone]")) {
    if (form.dataset.started) continue;
    form.dataset.started = "yes";
    new Zone(form);
  }
}
