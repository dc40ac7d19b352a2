/** Server-sent events over `fetch`: the browser's own reader can send no header, and so no token. */
export type Message = { readonly event: string; readonly data: string; readonly id: string | null };

/** Ends with the stream. @throws what the connection throws */
export async function* messagesIn(body: ReadableStream<Uint8Array>): AsyncGenerator<Message> {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const message = read(part);
      if (message.data !== "") yield message;
    }
  }
}

function read(text: string): Message {
  let [event, id]: [string, string | null] = ["message", null];
  const data: string[] = [];
  for (const line of text.split("\n")) {
    const colon = line.indexOf(":");
    const [field, value] = [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, "")];
    if (field === "event") event = value;
    else if (field === "id") id = value;
    else if (field === "data") data.push(value);
  }
  return { event, id, data: data.join("\n") };
}
