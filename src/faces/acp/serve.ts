/**
 * The Agent Client Protocol on stdin and stdout: the lead as the agent of an editor. A session is a team; its id names the team and
 * the folder, so that any later process finds it again.
 */
import { createHash, randomBytes } from "node:crypto";
import { realpathSync, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { Readable, Writable } from "node:stream";
import {
  agent,
  type InitializeRequest,
  type McpServer,
  methods,
  ndJsonStream,
  RequestError,
  type SessionInfo,
  type SessionModeState,
} from "@agentclientprotocol/sdk";
import manifest from "../../../package.json" with { type: "json" };
import { isEkidenError, messageOf } from "../../core/errors.ts";
import { type Name, name } from "../../core/ids.ts";
import { MODE_WORDS, MODES, type Mode } from "../../core/permission/mode.ts";
import { knownTeams } from "../../project/known-teams.ts";
import type { Invocation } from "../kit/invocation.ts";
import type { Editor } from "./editor.ts";
import { deleteTeam, sessionInfo } from "./listing.ts";
import { TeamSession } from "./session.ts";

const MODE_NAMES: Readonly<Record<Mode, string>> = {
  plan: "Plan",
  default: "Ask",
  "accept-edits": "Accept edits",
  bypass: "Bypass",
};
/** The newest teams that a list names. */
const LISTED_MAX = 100;

export type ServeOptions = {
  /** For the team of a folder, as if the command had been started there. */
  readonly callFor: (cwd: string, team: Name) => Invocation;
  readonly signal: AbortSignal;
};

/** Resolves when the editor has closed stdin, and every team of this process has stopped with its state kept. */
export async function serveAcp({ callFor, signal }: ServeOptions): Promise<void> {
  const sessions = new Map<string, TeamSession>();
  let can = { hasForms: false, hasChildren: false };

  const sessionOf = (id: string): TeamSession => {
    const session = sessions.get(id) ?? sessions.get(id.split("/")[0] ?? "");
    if (session) return session;
    throw RequestError.sessionNotFound(id);
  };
  const turns = new Map<string, Promise<unknown>>();
  /** A session is opened, closed and deleted one after the other, also where the editor does not wait. */
  const inTurn = <T>(id: string, step: () => Promise<T>): Promise<T> => {
    const done = (turns.get(id) ?? Promise.resolve()).then(step);
    turns.set(
      id,
      done.catch(() => {}),
    );
    return done;
  };
  const end = async (id: string): Promise<void> => {
    const session = sessions.get(id);
    sessions.delete(id);
    await session?.close();
  };
  type Opening = { readonly cwd: string; readonly mcpServers?: readonly McpServer[] };
  const open = async (
    id: string,
    { cwd, mcpServers = [] }: Opening,
    client: Editor["client"],
    replay: boolean,
  ): Promise<TeamSession> =>
    await inTurn(id, async () => {
      const folder = folderOf(cwd);
      const [team = "", place] = id.split(":");
      if (place !== placeOf(folder)) throw RequestError.sessionNotFound(id);
      await end(id);
      const call = callFor(folder, name(team));
      const parts = { id, call, editor: { client, ...can } };
      const session = await TeamSession.open(parts, serversOf(mcpServers), replay).catch(told);
      sessions.set(id, session);
      // The editor must know the session before it hears of it.
      setImmediate(() => void session.begin().catch((error: unknown) => call.say(messageOf(error))));
      return session;
    });
  const opened = (session: TeamSession): { modes: SessionModeState } => ({ modes: modesOf(session.mode) });

  const app = agent({ name: "ekiden" })
    // The stable types leave out what is not stable yet: that the client shows child sessions.
    .onRequest(methods.agent.initialize, asSent<InitializeRequest>, ({ params }) => {
      const { clientCapabilities: client } = params;
      const hasChildren = (client as { subagents?: unknown } | undefined)?.subagents != null;
      can = { hasForms: client?.elicitation?.form != null, hasChildren };
      return {
        protocolVersion: 1,
        agentInfo: { name: "ekiden", title: "Ekiden", version: manifest.version },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: true, embeddedContext: true },
          mcpCapabilities: { http: true },
          sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
        },
        authMethods: [],
      };
    })
    .onRequest(methods.agent.session.new, async ({ params, client }) => {
      const team = `editor-${randomBytes(4).toString("hex")}`;
      const sessionId = `${team}:${placeOf(folderOf(params.cwd))}`;
      return { sessionId, ...opened(await open(sessionId, params, client, false)) };
    })
    .onRequest(methods.agent.session.load, async ({ params, client }) =>
      opened(await open(known(params), params, client, true)),
    )
    .onRequest(methods.agent.session.resume, async ({ params, client }) =>
      opened(await open(known(params), params, client, false)),
    )
    .onRequest(methods.agent.session.list, async ({ params: { cwd } }) => {
      const folder = cwd == null ? null : folderOf(cwd);
      const teams = knownTeams().filter((one) => folder === null || one.cwd === folder);
      const infos = await Promise.all(
        teams.map((one) => sessionInfo(one, `${one.team}:${placeOf(one.cwd)}`, process.env)),
      );
      const there = infos.filter((one): one is SessionInfo => one !== null);
      const newest = there.sort((a, b) => (b.updatedAt ?? "").localeCompare(a.updatedAt ?? ""));
      return { sessions: newest.slice(0, LISTED_MAX) };
    })
    .onRequest(methods.agent.session.close, async ({ params: { sessionId } }) => {
      const { id } = sessionOf(sessionId);
      await inTurn(id, () => end(id));
      return {};
    })
    .onRequest(methods.agent.session.delete, async ({ params: { sessionId } }) => {
      const one = knownTeams().find(({ team, cwd }) => `${team}:${placeOf(cwd)}` === sessionId);
      // The protocol: one that is not there is deleted already.
      if (!one) return {};
      await inTurn(sessionId, async () => {
        await end(sessionId);
        await deleteTeam(one, process.env).catch(told);
      });
      return {};
    })
    .onRequest(methods.agent.session.setMode, async ({ params: { sessionId, modeId } }) => {
      const mode = MODES.find((one) => one === modeId);
      if (!mode)
        throw RequestError.invalidParams(undefined, `There is no mode "${modeId}": ${MODES.join(", ")}.`);
      await sessionOf(sessionId).useMode(mode).catch(told);
      return {};
    })
    .onRequest(methods.agent.session.prompt, async ({ params }) => ({
      stopReason: await sessionOf(params.sessionId).prompt(params).catch(told),
    }))
    .onNotification(methods.agent.session.cancel, async ({ params: { sessionId } }) => {
      const session = sessionOf(sessionId);
      await session.cancel(sessionId === session.id ? null : sessionId);
    });

  const output = Writable.toWeb(process.stdout) as WritableStream<Uint8Array>;
  const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
  const connection = app.connect(ndJsonStream(output, input));
  const ended = new Promise<void>((done) => signal.addEventListener("abort", () => done(), { once: true }));
  await Promise.race([connection.closed.catch(() => {}), ended]);
  await Promise.all([...sessions.values()].map((session) => session.close()));
  connection.close();
}

const asSent = <T>(params: unknown): T => params as T;

/** A team that is not there must not come into being by a wrong id. */
function known({ sessionId, cwd }: { readonly sessionId: string; readonly cwd: string }): string {
  const folder = folderOf(cwd);
  const isThere = knownTeams().some(
    (one) => one.cwd === folder && `${one.team}:${placeOf(folder)}` === sessionId,
  );
  if (isThere) return sessionId;
  throw RequestError.sessionNotFound(sessionId);
}

const placeOf = (folder: string): string => createHash("sha256").update(folder).digest("hex").slice(0, 12);

/** Without links, as all commands have it. */
function folderOf(cwd: string): string {
  try {
    if (isAbsolute(cwd) && statSync(cwd).isDirectory()) return realpathSync(cwd);
  } catch {
    // It is not there.
  }
  throw RequestError.invalidParams(undefined, `${JSON.stringify(cwd)} is not the absolute path of a folder.`);
}

/** The sentence that says what to do, where editors show it. */
function told(error: unknown): never {
  if (error instanceof RequestError) throw error;
  if (isEkidenError(error)) throw new RequestError(-32603, messageOf(error), { code: error.code });
  throw new RequestError(-32603, messageOf(error));
}

const modesOf = (currentModeId: Mode): SessionModeState => ({
  currentModeId,
  availableModes: MODES.map((id) => ({ id, name: MODE_NAMES[id], description: MODE_WORDS[id] })),
});

/** MCP servers of the editor, as `.mcp.json` has them. */
function serversOf(servers: readonly McpServer[]): Record<string, unknown> {
  const pairs = (
    list: readonly { readonly name: string; readonly value: string }[],
  ): Record<string, string> => Object.fromEntries(list.map(({ name, value }) => [name, value]));
  return Object.fromEntries(
    servers.map((one) => [
      one.name,
      "command" in one
        ? { command: one.command, args: one.args, env: pairs(one.env) }
        : { type: one.type, url: one.url, headers: pairs(one.headers) },
    ]),
  );
}
