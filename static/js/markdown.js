// A small Markdown, made into DOM nodes: paragraphs, headings, lists, quotes, tables, code, bold, italic, `code`.
// No links, no images, no HTML: an answer's only links are its citations. Positions are kept, so that a citation
// stands where its claim ends (offsets are Unicode code points of the text).
import { make } from "./dom.js";

const LIST = /^(\s*)([-*+]|\d{1,9}[.)])\s+/;
const HEADING = /^(#{1,6})\s+/;

/** The lines of `points` (an array of code points) with where each begins. */
function linesOf(points) {
  const lines = [];
  let begin = 0;
  for (let at = 0; at <= points.length; at += 1) {
    if (at === points.length || points[at] === "\n") {
      lines.push({ text: points.slice(begin, at).join(""), begin, end: at });
      begin = at + 1;
    }
  }
  return lines;
}

/**
 * Nodes for `text`. `marks` is a list of {end, node}: each node is put after the character before its end,
 * or at the end of the block when that falls inside Markdown's own signs.
 */
export function render(text, marks = []) {
  const points = [...text];
  const waiting = [...marks].sort((a, b) => a.end - b.end);
  const page = document.createDocumentFragment();
  const lines = linesOf(points);
  let at = 0;

  function flush(parent, position) {
    while (waiting.length && waiting[0].end <= position) parent.append(waiting.shift().node);
  }

  /** Inline signs of the characters [begin, end) into parent. */
  function inline(parent, begin, end) {
    const stack = [parent];
    let plain = "";
    const top = () => stack[stack.length - 1];
    const settle = () => {
      if (plain) top().append(plain);
      plain = "";
    };
    const closes = (sign, from) => {
      for (let i = from; i + sign.length <= end; i += 1) {
        if (points.slice(i, i + sign.length).join("") === sign && points[i - 1] !== " ") return i;
      }
      return -1;
    };
    let i = begin;
    const open = [];
    while (i < end) {
      if (waiting.length && waiting[0].end <= i) {
        settle();
        flush(top(), i);
      }
      const two = points[i] + (points[i + 1] ?? "");
      const sign = two === "**" || two === "__" ? two : points[i];
      if (open.length && open[open.length - 1] === sign) {
        settle();
        stack.pop();
        open.pop();
        i += sign.length;
      } else if (sign === "`" && closes("`", i + 1) > i + 1) {
        const close = closes("`", i + 1);
        settle();
        top().append(make("code", {}, points.slice(i + 1, close).join("")));
        i = close + 1;
      } else if (emphasis(sign, i) && closes(sign, i + sign.length + 1) > 0) {
        settle();
        const element = make(sign.length === 2 ? "strong" : "em");
        top().append(element);
        stack.push(element);
        open.push(sign);
        i += sign.length;
      } else if (points[i] === "\\" && /[\\`*_[\]#>|-]/.test(points[i + 1] ?? "") && i + 1 < end) {
        plain += points[i + 1];
        i += 2;
      } else {
        plain += points[i];
        i += 1;
      }
    }
    settle();
    flush(parent, end);

    function emphasis(candidate, where) {
      if (!["**", "__", "*", "_"].includes(candidate)) return false;
      const next = points[where + candidate.length] ?? " ";
      const before = points[where - 1] ?? " ";
      if (/\s/.test(next)) return false;
      return candidate[0] === "*" || !/[\p{L}\p{N}]/u.test(before);
    }
  }

  function list(indent) {
    const first = lines[at].text.match(LIST);
    const ordered = /\d/.test(first[2]);
    const element = make(ordered ? "ol" : "ul", { start: ordered && parseInt(first[2], 10) !== 1 ? parseInt(first[2], 10) : null });
    while (at < lines.length) {
      const match = lines[at].text.match(LIST);
      if (!match || match[1].length < indent || /\d/.test(match[2]) !== ordered) break;
      if (match[1].length > indent && element.lastElementChild) {
        element.lastElementChild.append(list(match[1].length));
        continue;
      }
      const item = make("li");
      inline(item, lines[at].begin + [...match[0]].length, lines[at].end);
      element.append(item);
      at += 1;
    }
    return element;
  }

  function fence() {
    const code = [];
    const opening = at;
    at += 1;
    while (at < lines.length && !lines[at].text.startsWith("```")) {
      code.push(lines[at].text);
      at += 1;
    }
    const last = Math.min(at, lines.length - 1);
    at += 1;
    const block = make("pre", { tabindex: 0 }, make("code", {}, code.join("\n")));
    const holder = make("div", {}, block);
    flush(holder, lines[Math.max(last, opening)].end);
    return holder;
  }

  const isTable = () => lines[at].text.includes("|") && /^\s*\|?[\s:|-]*-[\s:|-]*\|?\s*$/.test(lines[at + 1]?.text ?? "");

  function row(line, tag) {
    const element = make("tr");
    let from = line.begin;
    let begin = line.begin + (line.text.trimStart().startsWith("|") ? line.text.indexOf("|") + 1 : 0);
    for (from = begin; from <= line.end; from += 1) {
      if (from === line.end || (points[from] === "|" && points[from - 1] !== "\\")) {
        if (from === line.end && points.slice(begin, from).join("").trim() === "") break;
        const cell = make(tag, tag === "th" ? { scope: "col" } : {});
        const [left, right] = trimmed(begin, from);
        inline(cell, left, right);
        element.append(cell);
        begin = from + 1;
      }
    }
    if (element.lastElementChild) flush(element.lastElementChild, line.end);
    return element;
  }

  function trimmed(begin, end) {
    let left = begin;
    let right = end;
    while (left < right && points[left] === " ") left += 1;
    while (right > left && points[right - 1] === " ") right -= 1;
    return [left, right];
  }

  function table() {
    const head = make("thead", {}, row(lines[at], "th"));
    const body = make("tbody");
    at += 2;
    while (at < lines.length && lines[at].text.includes("|")) {
      body.append(row(lines[at], "td"));
      at += 1;
    }
    return make("div", { class: "table-wrap", tabindex: 0 }, make("table", { class: "table table-dense" }, head, body));
  }

  function paragraph(tag, cut) {
    const element = make(tag);
    let first = true;
    while (at < lines.length && lines[at].text.trim() !== "" && (first || !starts(lines[at].text) || cut)) {
      if (cut && !lines[at].text.startsWith(">")) break;
      if (!first) element.append(make("br"));
      const skip = cut ? lines[at].text.match(/^>\s?/)[0].length : 0;
      inline(element, lines[at].begin + skip, lines[at].end);
      first = false;
      at += 1;
    }
    return element;
  }

  function starts(line) {
    return LIST.test(line) || HEADING.test(line) || line.startsWith("```") || line.startsWith(">");
  }

  while (at < lines.length) {
    const line = lines[at];
    if (line.text.trim() === "") at += 1;
    else if (line.text.startsWith("```")) page.append(fence());
    else if (HEADING.test(line.text)) {
      const sign = line.text.match(HEADING);
      const heading = make(sign[1].length < 3 ? "h3" : "h4");
      inline(heading, line.begin + sign[0].length, line.end);
      page.append(heading);
      at += 1;
    } else if (LIST.test(line.text)) page.append(list(line.text.match(LIST)[1].length));
    else if (line.text.startsWith(">")) page.append(paragraph("blockquote", true));
    else if (isTable()) page.append(table());
    else page.append(paragraph("p", false));
  }
  if (waiting.length) flush(page.lastElementChild ?? page, Infinity);
  return page;
}
