/**
 * A model on loopback that does as little as possible, so that measurements show the program, not the server. Speaks as
 * much of the Anthropic Messages protocol as a streamed reply needs.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** One request. Times by `performance.now()`. */
export type Seen = {
  /** When its head had come in. */
  readonly at: number;
  /** When the last byte of its answer had been handed to the system; 0 until then. */
  endedAt: number;
  body: string;
};

export type Call = { readonly tool: string; readonly input: unknown };
export type Says = { readonly text: string } | Call | { readonly calls: readonly Call[] };

export type Loopback = {
  readonly url: string;
  readonly seen: Seen[];
  /** Environment for a program that is to use this server. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
};

const event = (type: string, data: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;

const HEAD = event("message_start", {
  message: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "loopback",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: {
      input_tokens: 100,
      output_tokens: 1,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
    },
  },
});

function reply(says: Says, nth: number): string {
  const blocks =
    "text" in says
      ? [
          [
            { type: "text", text: "" },
            { type: "text_delta", text: says.text },
          ] as const,
        ]
      : ("calls" in says ? says.calls : [says]).map(
          ({ tool, input }, i) =>
            [
              { type: "tool_use", id: `toolu_${nth}_${i}`, name: tool, input: {} },
              { type: "input_json_delta", partial_json: JSON.stringify(input) },
            ] as const,
        );
  const stop = "text" in says ? "end_turn" : "tool_use";
  return [
    HEAD,
    ...blocks.flatMap(([block, delta], index) => [
      event("content_block_start", { index, content_block: block }),
      event("content_block_delta", { index, delta }),
      event("content_block_stop", { index }),
    ]),
    event("message_delta", {
      delta: { stop_reason: stop, stop_sequence: null },
      usage: { output_tokens: 10 },
    }),
    event("message_stop", {}),
  ].join("");
}

/** `program` is asked with the number of the request, from 1, and its body. `thinkMs`: it answers so much later. */
export async function loopback(program: (nth: number, body: string) => Says, thinkMs = 0): Promise<Loopback> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const one: Seen = { at: performance.now(), endedAt: 0, body: "" };
    const nth = seen.push(one);
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      one.body = Buffer.concat(chunks).toString("utf8");
      response.on("finish", () => {
        one.endedAt = performance.now();
      });
      const answer = (): void => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.end(reply(program(nth, one.body), nth));
      };
      if (thinkMs > 0) setTimeout(answer, thinkMs);
      else answer();
    });
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    seen,
    env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "bench" },
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** A program that asks for `count` shell calls and then ends. */
export const shellCalls =
  (count: number) =>
  (nth: number): Says =>
    nth <= count ? { tool: "bash", input: { command: `echo ${nth}` } } : { text: "Done." };

/** From the end of each answer to the next request, in milliseconds. */
export const gaps = (seen: readonly Seen[]): number[] =>
  seen.slice(1).map((one, i) => one.at - (seen[i]?.endedAt ?? Number.NaN));
