// An answer {text, citations, sources} as nodes: Markdown with citation chips, and the list of its sources.
import { make, safeAddress } from "./dom.js";
import { render } from "./markdown.js";

const isPublic = (source) => source?.kind === "web" || source?.kind === "public";

/** Where the passage of a citation is opened: its own link, its source's, or the page's pattern. */
function address(citation, source, chat) {
  const link = safeAddress(citation?.link || source?.link);
  if (link) return link;
  const pattern = chat.dataset.passageUrl;
  return pattern && source ? pattern.replace("SOURCE", encodeURIComponent(source.id)) : null;
}

function chip(citation, source, chat) {
  const words = `${chat.dataset.wordsSource} ${citation.n}: ${source?.title ?? ""}`;
  const kind = isPublic(source) ? "cite cite-public" : "cite";
  const target = address(citation, source, chat);
  return make("button", { type: "button", class: kind, "data-source-open": target, "aria-label": words, title: source?.title }, String(citation.n));
}

function where(source, chat) {
  const parts = [];
  if (isPublic(source)) parts.push(chat.dataset.wordsPublic);
  if (source.domain) parts.push(source.domain);
  if (source.page) parts.push(`${chat.dataset.wordsPage} ${source.page}`);
  const section = [source.section].flat().filter((part) => part && part !== source.title).join(" › ");
  if (section) parts.push(section);
  if (source.passage_kind === "figure") parts.push(chat.dataset.wordsFigure);
  return make("div", { class: "source-where" }, ...parts.map((part) => make("span", {}, part)));
}

function card(source, citations, chat) {
  const first = citations[0];
  const target = address(first, source, chat);
  const numbers = [...new Set(citations.map((one) => one.n))].join(", ");
  return make(
    "li",
    { class: isPublic(source) ? "source source-public" : "source" },
    make("span", { class: isPublic(source) ? "cite cite-public" : "cite", "aria-hidden": "true" }, numbers),
    make("div", {}, make("button", { type: "button", class: "source-title", "data-source-open": target }, source.title || source.domain || ""), where({ ...source, page: first.page ?? source.page }, chat)),
    first.quote ? make("q", { class: "source-quote" }, first.quote) : null,
  );
}

/** The nodes of the answer's text. A citation whose source is missing gets no chip. */
export function body(answer, chat) {
  const sources = new Map((answer.sources ?? []).map((source) => [source.id, source]));
  const marks = (answer.citations ?? [])
    .filter((citation) => sources.has(citation.source))
    .map((citation) => ({ end: citation.end, node: chip(citation, sources.get(citation.source), chat) }));
  return render(answer.text ?? "", marks);
}

/** The list of cited sources in the order of their numbers, or null when nothing is cited. */
export function sourceList(answer, chat) {
  const cited = (answer.sources ?? [])
    .map((source) => ({ source, citations: (answer.citations ?? []).filter((one) => one.source === source.id) }))
    .filter((one) => one.citations.length)
    .sort((a, b) => a.citations[0].n - b.citations[0].n);
  if (!cited.length) return null;
  const list = make("ol", { class: "sources" }, ...cited.map((one) => card(one.source, one.citations, chat)));
  return make("details", { class: "message-sources", open: true }, make("summary", {}, `${chat.dataset.wordsSources} (${cited.length})`), list);
}
