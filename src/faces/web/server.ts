/**
 * The page's server: one for all teams of a store, wherever they run. Routes only; the rules of access are in `access.ts`, what a view reads
 * in `answers.ts`, the live journal in `stream.ts` and `read/feed.ts`.
 */
import { createServer, type IncomingMessage, type Server } from "node:http";
import { hostname } from "node:os";
import { getRequestListener } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { compress } from "hono/compress";
import { systemClock } from "../../adapters/clock.ts";
import { type ErrorCode, isEkidenError, messageOf, notFound } from "../../core/errors.ts";
import type { PublicAddress } from "../kit/address.ts";
import { type Access, refusal, SAFE_HEADERS, type Visit } from "./access.ts";
import { perform, readAct } from "./acts.ts";
import { ANSWERS, type Env, number, text } from "./answers.ts";
import { bodyOf } from "./body.ts";
import { changeLink, type Links } from "./links.ts";
import { listen } from "./listening.ts";
import { type PageFiles, readPage, sendFile } from "./page-files.ts";
import { sendJson } from "./send-json.ts";
import { stream } from "./stream.ts";
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
} from "./visitors.ts";
import type { Acted, Overview } from "./wire.ts";

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
  /** After so long without a visitor everybody has left. */
  readonly leftMs?: number | undefined;
};
export type WebServer = {
  /** With the token. */
  readonly address: string;
  readonly port: number;
  /** Resolves once nobody has asked for anything for a minute, nor has a connection open. At once where nobody came who is not expected. */
  left(isExpected: boolean): Promise<void>;
  close(): Promise<void>;
};

const DRAIN_MS = 300;
const LEFT_MS = 60_000;
const LOOK_MS = 500;
const STATUS: Partial<Record<ErrorCode, 400 | 403 | 404 | 409 | 503>> = {
  not_found: 404,
  not_permitted: 403,
  already_started: 409,
  answered: 409,
  name_taken: 409,
  store_unavailable: 503,
};

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
  const { readOnly, links } = options;
  const who = (c: Context): Visitor | null =>
    visitorOf(access, links, readOnly, c.req.header("authorization"));
  const app = routes({ teams, readOnly, links, page, who });
  const handle = getRequestListener((request, env) => app.fetch(request, env), {
    overrideGlobalObjects: false,
  });
  const left = leaving(server, options.leftMs ?? LEFT_MS);
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
    left,
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

/** A tab that is hidden asks now and then, and has no connection open in between. */
function leaving(server: Server, leftMs: number): WebServer["left"] {
  let [open, seenAt] = [0, 0];
  server.on("request", (_, outgoing) => {
    open += 1;
    outgoing.once("close", () => {
      open -= 1;
      seenAt = Date.now();
    });
  });
  return async (isExpected) => {
    if (seenAt === 0 && open === 0 && !isExpected) return;
    const since = Date.now();
    while (server.listening && (open > 0 || Date.now() - Math.max(since, seenAt) < leftMs))
      await systemClock.sleep(LOOK_MS);
  };
}

const visitOf = ({ method = "", headers: { host, origin } }: IncomingMessage): Visit => ({
  method,
  host,
  origin,
});

type Site = {
  readonly teams: Teams;
  readonly readOnly: boolean;
  readonly links: Links | undefined;
  readonly page: PageFiles;
  /** The one who asks; null for a stranger. */
  readonly who: (c: Context) => Visitor | null;
};

function routes(site: Site): Hono<Env> {
  const app = new Hono<Env>();
  // The router decides what is an answer of a team, so it also asks for the token.
  app.use("/api/*", async (c, next) => {
    const visitor = site.who(c);
    if (!visitor) return c.text(STRANGER, 401);
    // One gate for every request that may change something, whatever its address.
    if (c.req.method !== "GET" && c.req.method !== "HEAD") mustAct(visitor);
    c.set("visitor", visitor);
    return await next();
  });
  app.use("/api/*", compress({ encoding: "gzip" }));
  addReads(app, site);
  addFiles(app, site);
  addActs(app, site);
  app.all("/api/*", () => {
    throw notFound("There is nothing at this address.");
  });
  app.get("*", (c) => {
    const { index, files } = site.page;
    const { pathname } = new URL(c.req.url);
    const file = files.get(pathname);
    if (file && pathname !== "/index.html") return sendFile(c, file, pathname.startsWith("/assets/"));
    if (pathname.startsWith("/assets/")) throw notFound("There is no such file.");
    // Every other address is a view of the page.
    return sendFile(c, index, false);
  });
  app.onError((error, c) => {
    const code = isEkidenError(error) ? error.code : null;
    const status = code === null ? 500 : (STATUS[code] ?? 400);
    return c.json({ ok: false, code: code ?? "tool_failed", text: messageOf(error) } satisfies Acted, status);
  });
  return app;
}

/** The team that a request is about. @throws EkidenError `not_permitted` | `not_found` */
async function teamOf(c: Context<Env>, { teams, readOnly }: Site): Promise<TeamPage> {
  const wanted = c.req.param("team") ?? "";
  mustSee(c.get("visitor"), wanted);
  return await teams.team(wanted, readOnly);
}

const overview = async (c: Context<Env>, { teams, readOnly }: Site): Promise<Overview> =>
  seenBy(await teams.overview(readOnly), c.get("visitor"));

function addReads(app: Hono<Env>, site: Site): void {
  const { teams, readOnly, who } = site;
  app.get("/api/teams", async (c) => sendJson(c, JSON.stringify(await overview(c, site))));
  app.get("/api/all-teams", async (c) => {
    const visitor = c.get("visitor");
    const all = await teams.all(readOnly || visitor.team?.startsWith("~") === false);
    return await sendJson(c, JSON.stringify(allSeenBy(all, visitor)));
  });
  for (const [path, answer] of Object.entries(ANSWERS))
    app.get(`/api/:team/${path}`, async (c) =>
      sendJson(c, JSON.stringify(await answer(await teamOf(c, site), c, teams))),
    );
  app.get("/api/:team/state", async (c) => sendJson(c, await (await teamOf(c, site)).state()));
  app.get("/api/:team/stream", async (c) => stream(c, await teamOf(c, site), () => who(c) !== null));
}

function addFiles(app: Hono<Env>, site: Site): void {
  app.get("/api/:team/image/:sha256", async (c) => {
    const team = await teamOf(c, site);
    const of = [c.req.param("sha256"), text(c, "type"), number(c, "bytes", 0)] as const;
    const { bytes, type } = await team.image(...of);
    return c.body(bytes, 200, { "Content-Type": type });
  });
  app.get("/api/:team/recording", async (c) => {
    const { recordingPage } = await import("./read/recording.ts");
    const team = await teamOf(c, site);
    const html = await recordingPage(team, { ...(await overview(c, site)), readOnly: true }, site.page);
    return c.body(html, 200, {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Disposition": `attachment; filename="ekiden-${team.store.team}.html"`,
    });
  });
}

function addActs(app: Hono<Env>, site: Site): void {
  const { links } = site;
  app.get("/api/:team/link", async (c) => {
    mustAct(c.get("visitor"));
    await teamOf(c, site);
    return c.json(links?.of(c.req.param("team")) ?? null);
  });
  app.post("/api/:team/link", async (c) => {
    await teamOf(c, site); // a link to nothing is none
    return c.json(changeLink(links, c.req.param("team"), await bodyOf(c.req.raw)));
  });
  app.post("/api/:team/act", async (c) => {
    const team = await teamOf(c, site);
    const act = readAct(await bodyOf(c.req.raw));
    const done = await perform(team.store, act, { ...team.project, outcome: team.outcome });
    await tellOwner(team.store, done.text);
    return c.json({ ok: true, ...done } satisfies Acted);
  });
}
