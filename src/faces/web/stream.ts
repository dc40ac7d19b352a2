/** The stream of a team to one page, as server-sent events. */
import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context } from "hono";
import type { Cursor } from "../../ports/index.ts";
import { text } from "./answers.ts";
import type { TeamPage } from "./teams.ts";
import { type Visitor, whileLet } from "./visitors.ts";

/** The bytes that a page may leave unread before its connection is ended; it comes back and reads on. */
const UNREAD_MAX = 4_000_000;

/** `isLet`: whether the visitor may still look. */
export function stream(
  c: Context<{ Bindings: HttpBindings; Variables: { visitor: Visitor } }>,
  { feed }: TeamPage,
  isLet: () => boolean,
): Response {
  const { incoming, outgoing } = c.env;
  const from = (c.req.header("last-event-id") ?? text(c, "from")) as Cursor;
  // Without chunks a message is one write to the socket: a hundred pages cost half as much.
  outgoing.useChunkedEncodingByDefault = false;
  outgoing.shouldKeepAlive = false;
  outgoing.writeHead(200, { "Content-Type": "text/event-stream", "X-Accel-Buffering": "no" });
  outgoing.write("retry: 500\n\n");
  const watcher = {
    send: (message: Buffer) => {
      outgoing.write(message);
      return outgoing.writableLength < UNREAD_MAX;
    },
    end: () => void outgoing.end(),
  };
  incoming.socket.setNoDelay(true);
  const leave = whileLet(c.get("visitor"), isLet, () => outgoing.end());
  outgoing.on("close", () => {
    leave();
    feed.leave(watcher);
  });
  void (text(c, "once") === "1" ? feed.tellMissed(watcher, from) : feed.join(watcher, from));
  return RESPONSE_ALREADY_SENT;
}
