/**
 * The page's server: one for all teams of a store, wherever they run. Routes only; the rules of access are in `access.ts`, the live
 * journal in `feed.ts`, the answers in `teams.ts`.
 */
import { createServer, type IncomingMessage } from "node:http";
import { hostname } from "node:os";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { type Context, Hono } from "hono";
import { compress } from "hono/compress";
import { badInput, type ErrorCode, isEkidenError, messageOf, notFound } from "../../core/errors.ts";
import { quote, taskId } from "../../core/ids.ts";
import type { Cursor } from "../../ports/index.ts";
import { task } from "../../team/queries/board.ts";
import { memberRows } from "../../team/queries/picture.ts";
import type { PublicAddress } from "../kit/address.ts";
import { type Access, refusal, SAFE_HEADERS, type Visit } from "./access.ts";
import { perform, readAct } from "./acts.ts";
import { bodyOf } from "./body.ts";
import { changeLink, type Links } from "./links.ts";
import { listen } from "./listening.ts";
import { ENCODINGS, type PageFile, readPage } from "./page-files.ts";
import { journalBefore, timeline } from "./read/journal-pages.ts";
import { sendJson } from "./send-json.ts";
import type { TeamPage, Teams } from "./teams.ts";
import {
  allSeenBy,
  mustAct,
  mustSee,
  STRANGER,
  seenBy,
  tellOwner,
  type Visitor,
  visitorOf,
  whileLet,
} from "./visitors.ts";
import type { Acted } from "./wire.ts";

export type ServeOptions = {
  readonly host: string;
  /** The first that is free is taken. 0: any free one. */
  readonly ports: readonly number[];
  readonly token: string;
  readonly readOnly: boolean;
  /** With which other people look at single teams. */
  readonly links?: Links | undefined;
  /** Where browsers find the page behind a proxy. */
  readonly behind?: PublicAddress | undefined;
};
export type WebServer = {
  /** With the token. */
  readonly address: string;
  readonly port: number;
  close(): Promise<void>;
};

const DRAIN_MS = 300;
const ENTRIES_MAX = 1_000;
/** The bytes that a page may leave unread before its connection is ended; it comes back and reads on. */
const UNREAD_MAX = 4_000_000;
const STATUS: Partial<Record<ErrorCode, 400 | 403 | 404 | 409 | 503>> = {
  not_found: 404,
  not_permitted: 403,
  already_started: 409,
  answered: 409,
  name_taken: 409,
  store_unavailable: 503,
};

type Env = { Bindings: HttpBindings; Variables: { visitor: Visitor } };

/** @throws EkidenError `bad_input` when it cannot listen there */
export async function serve(teams: Teams, options: ServeOptions): Promise<WebServer> {
  const { behind } = options;
  const page = readPage(behind?.base);
  const server = createServer();
  const port = await listen(server, options);
  const access: Access = {
    token: options.token,
    host: options.host,
    port,
    machine: hostname().toLowerCase(),
    behind,
  };
  const app = routes(teams, options, page.index, page.files, access);
  const handle = getRequestListener((request, env) => app.fetch(request, env), {
    overrideGlobalObjects: false,
  });
  const prefix = behind?.base ? `${behind.base}/` : null;
  server.on("request", (incoming, outgoing) => {
    // Some proxies take the path away that they serve the page below, some do not.
    if (prefix !== null && incoming.url?.startsWith(prefix))
      incoming.url = incoming.url.slice(prefix.length - 1);
    for (const [name, value] of Object.entries(SAFE_HEADERS)) outgoing.setHeader(name, value);
    const refused = refusal(access, visitOf(incoming));
    if (!refused) return void handle(incoming, outgoing);
    outgoing.writeHead(refused.status, { "Content-Type": "text/plain; charset=utf-8" });
    outgoing.end(`${refused.text}\n`);
  });
  teams.warmUp();
  const shown = options.host.includes(":") ? `[${options.host}]` : options.host;
  return {
    address: `${behind ? behind.origin + behind.base : `http://${shown}:${port}`}/#token=${options.token}`,
    port,
    close: async () => {
      await teams.close();
      // Written data must still be sent.
      const cut = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
      await new Promise((done) => {
        server.close(done);
        server.closeIdleConnections();
      });
      clearTimeout(cut);
    },
  };
}

const visitOf = ({ method = "", headers: { host, origin } }: IncomingMessage): Visit => ({
  method,
  host,
  origin,
});

function routes(
  teams: Teams,
  { readOnly, links }: Pick<ServeOptions, "readOnly" | "links">,
  index: PageFile,
  files: ReadonlyMap<string, PageFile>,
  access: Access,
): Hono<Env> {
  const app = new Hono<Env>();
  const send = (c: Context, { type, body, compressed }: PageFile, lasting: boolean): Response => {
    const accepted = (c.req.header("accept-encoding") ?? "").split(/\s*,\s*/);
    const encoding = ENCODINGS.find((one) => compressed[one] && accepted.includes(one));
    return new Response(new Uint8Array((encoding && compressed[encoding]) ?? body), {
      headers: {
        "Content-Type": type,
        "Cache-Control": lasting ? "private, max-age=31536000, immutable" : "no-store",
        Vary: "Accept-Encoding",
        ...(encoding && { "Content-Encoding": encoding }),
      },
    });
  };
  const number = (c: Context, key: string, otherwise: number): number => {
    const value = Number(c.req.query(key) ?? otherwise);
    if (!Number.isSafeInteger(value) || value < 0)
      throw badInput(`${key}=${quote(c.req.query(key))} is not a number.`);
    return value;
  };
  const text = (c: Context, key: string): string => c.req.query(key) ?? "";

  const who = (c: Context) => visitorOf(access, links, readOnly, c.req.header("authorization"));
  // The router decides what is an answer of a team, so it also asks for the token.
  app.use("/api/*", async (c, next) => {
    const visitor = who(c);
    if (!visitor) return c.text(STRANGER, 401);
    // One gate for every request that may change something, whatever its address.
    if (c.req.method !== "GET" && c.req.method !== "HEAD") mustAct(visitor);
    c.set("visitor", visitor);
    return await next();
  });
  app.use("/api/*", compress({ encoding: "gzip" }));
  const teamOf = async (c: Context<Env>): Promise<TeamPage> => {
    const wanted = c.req.param("team") ?? "";
    mustSee(c.get("visitor"), wanted);
    return await teams.team(wanted, readOnly);
  };
  const overview = async (c: Context<Env>) => seenBy(await teams.overview(readOnly), c.get("visitor"));
  app.get("/api/teams", async (c) => sendJson(c, JSON.stringify(await overview(c))));
  app.get("/api/all-teams", async (c) => {
    const visitor = c.get("visitor");
    const all = await teams.all(readOnly || visitor.team?.startsWith("~") === false);
    return await sendJson(c, JSON.stringify(allSeenBy(all, visitor)));
  });
  const answers: Readonly<Record<string, (team: TeamPage, c: Context) => Promise<unknown>>> = {
    members: ({ store }) => memberRows(store),
    "task/:id": ({ store }, c) => task(store, taskId(c.req.param("id") ?? "")),
    timeline: ({ store }, c) => timeline(store.journal, text(c, "after"), text(c, "detail") === "1"),
    journal: ({ store }, c) =>
      journalBefore(store.journal, {
        before: c.req.query("before") === undefined ? null : number(c, "before", 0),
        limit: Math.min(500, Math.max(1, number(c, "limit", 200))),
        text: text(c, "text").toLowerCase(),
        who: text(c, "who"),
        kind: text(c, "kind"),
      }),
    "conversation/:who{.+}": (team, c) => {
      const who = c.req.param("who") ?? "";
      const last = Math.min(ENTRIES_MAX, number(c, "last", 0));
      if (last === 0) return team.conversation(who, number(c, "after", 0));
      return team.conversationEnd(who, last, number(c, "before", 0) || undefined);
    },
    mail: (team, c) => team.mail(text(c, "ids")),
    questions: (team) => team.questions(),
    doing: (team, c) => team.doing(text(c, "who")),
    costs: (team) => team.costs(),
    outcome: (team, c) => team.outcome.read(text(c, "whole") === "1"),
    start: (team) => teams.startForm(team),
    steering: async (team) => {
      const { readSteering } = await import("./steer.ts");
      return await readSteering(team.store, team.project);
    },
    "commit/:commit": async ({ project }, c) => {
      const { readCommit } = await import("./read/commit.ts");
      return await readCommit(project.cwd, c.req.param("commit") ?? "");
    },
  };
  for (const [path, answer] of Object.entries(answers))
    app.get(`/api/:team/${path}`, async (c) => sendJson(c, JSON.stringify(await answer(await teamOf(c), c))));
  app.get("/api/:team/state", async (c) => sendJson(c, await (await teamOf(c)).state()));
  app.get("/api/:team/image/:sha256", async (c) => {
    const { bytes, type } = await (await teamOf(c)).image(
      c.req.param("sha256"),
      text(c, "type"),
      number(c, "bytes", 0),
    );
    return c.body(bytes, 200, { "Content-Type": type });
  });
  app.get("/api/:team/recording", async (c) => {
    const { recordingPage } = await import("./read/recording.ts");
    const team = await teamOf(c);
    const html = await recordingPage(team, { ...(await overview(c)), readOnly: true }, { index, files });
    return c.body(html, 200, {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Disposition": `attachment; filename="ekiden-${team.store.team}.html"`,
    });
  });
  app.get("/api/:team/stream", async (c) => {
    const team = await teamOf(c);
    const { incoming, outgoing } = c.env;
    const from = c.req.header("last-event-id") ?? text(c, "from");
    // Without chunks a message is one write to the socket: a hundred pages cost half as much.
    outgoing.useChunkedEncodingByDefault = false;
    outgoing.shouldKeepAlive = false;
    outgoing.writeHead(200, {
      "Content-Type": "text/event-stream",
      "X-Accel-Buffering": "no",
    });
    outgoing.write("retry: 500\n\n");
    const watcher = {
      send: (message: Buffer) => {
        outgoing.write(message);
        return outgoing.writableLength < UNREAD_MAX;
      },
      end: () => void outgoing.end(),
    };
    incoming.socket.setNoDelay(true);
    const leave = whileLet(
      c.get("visitor"),
      () => who(c) !== null,
      () => outgoing.end(),
    );
    outgoing.on("close", () => {
      leave();
      team.feed.leave(watcher);
    });
    void (c.req.query("once") === "1"
      ? team.feed.tellMissed(watcher, from as Cursor)
      : team.feed.join(watcher, from as Cursor));
    return RESPONSE_ALREADY_SENT;
  });
  app.get("/api/:team/link", async (c) => {
    mustAct(c.get("visitor"));
    await teamOf(c);
    return c.json(links?.of(c.req.param("team")) ?? null);
  });
  app.post("/api/:team/link", async (c) => {
    await teamOf(c); // a link to nothing is none
    return c.json(changeLink(links, c.req.param("team"), await bodyOf(c.req.raw)));
  });
  app.post("/api/:team/act", async (c) => {
    const team = await teamOf(c);
    const act = readAct(await bodyOf(c.req.raw));
    const text = await perform(team.store, act, { ...team.project, outcome: team.outcome });
    await tellOwner(team.store, text);
    return c.json({ ok: true, text } satisfies Acted);
  });
  app.all("/api/*", () => {
    throw notFound("There is nothing at this address.");
  });
  app.get("*", (c) => {
    const { pathname } = new URL(c.req.url);
    const file = files.get(pathname);
    if (file && pathname !== "/index.html") return send(c, file, pathname.startsWith("/assets/"));
    if (pathname.startsWith("/assets/")) throw notFound("There is no such file.");
    // Every other address is a view of the page.
    return send(c, index, false);
  });
  app.onError((error, c) => {
    const code = isEkidenError(error) ? error.code : null;
    const status = code === null ? 500 : (STATUS[code] ?? 400);
    return c.json({ ok: false, code: code ?? "tool_failed", text: messageOf(error) } satisfies Acted, status);
  });
  return app;
}
