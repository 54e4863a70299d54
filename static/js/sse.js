// Server-sent events over a POST: EventSource can only GET.

/** Yields {event, data} of one response; data is JSON where it is JSON, otherwise text. Comments are skipped. */
export async function* events(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    while (true) {
      const { value, done } = await reader.read();
      rest += done ? "\n\n" : value;
      // A lone CR at the end may be half of a CRLF: it waits for the next read.
      const held = !done && rest.endsWith("\r") ? "\r" : "";
      const blocks = rest.slice(0, rest.length - held.length).replace(/\r\n?/g, "\n").split("\n\n");
      rest = blocks.pop() + held;
      for (const block of blocks) {
        const parsed = parse(block);
        if (parsed) yield parsed;
      }
      if (done) return;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

function parse(block) {
  let event = "message";
  const data = [];
  for (const line of block.split("\n")) {
    const at = line.indexOf(":");
    if (at === 0 || line === "") continue;
    const field = at < 0 ? line : line.slice(0, at);
    const value = at < 0 ? "" : line.slice(at + 1).replace(/^ /, "");
    if (field === "event") event = value;
    else if (field === "data") data.push(value);
  }
  if (!data.length) return null;
  const text = data.join("\n");
  try {
    return { event, data: JSON.parse(text) };
  } catch {
    return { event, data: text };
  }
}
