/** The sessions of an editor in this process. A session is a team; its id names the team and the folder, so that any later process finds it again. */
import { createHash, randomBytes } from "node:crypto";
import { realpathSync, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { type McpServer, RequestError, type SessionInfo } from "@agentclientprotocol/sdk";
import { isEkidenError, messageOf } from "../../core/errors.ts";
import { type Name, name } from "../../core/ids.ts";
import { type KnownTeam, knownTeams } from "../../project/known-teams.ts";
import type { Invocation } from "../kit/invocation.ts";
import type { Editor } from "./editor.ts";
import { deleteTeam, sessionInfo } from "./listing.ts";
import { TeamSession } from "./session.ts";

/** The newest teams that a list names. */
const LISTED_MAX = 100;

type Opening = { readonly cwd: string; readonly mcpServers?: readonly McpServer[] };
/** `new`: a team of a new name. `load` sends the earlier texts of a team, `resume` does not. */
export type How = "new" | "load" | "resume";

export class Sessions {
  private readonly callFor: (cwd: string, team: Name) => Invocation;
  private readonly open = new Map<string, TeamSession>();
  private readonly turns = new Map<string, Promise<unknown>>();

  /** `callFor`: for the team of a folder, as if the command had been started there. */
  constructor(callFor: (cwd: string, team: Name) => Invocation) {
    this.callFor = callFor;
  }

  /** The session, also by the id of a child of it. @throws RequestError where it is not open */
  of(id: string): TeamSession {
    const session = this.open.get(id) ?? this.open.get(id.split("/")[0] ?? "");
    if (session) return session;
    throw RequestError.sessionNotFound(id);
  }

  async begin(
    given: Opening & { readonly sessionId?: string },
    editor: Editor,
    how: How,
  ): Promise<TeamSession> {
    const folder = folderOf(given.cwd);
    const id = how === "new" ? idOf({ team: newTeam(), cwd: folder }) : (given.sessionId ?? "");
    // A team that is not there must not come into being by a wrong id.
    if (how !== "new" && !knownTeams().some((one) => one.cwd === folder && idOf(one) === id))
      throw RequestError.sessionNotFound(id);
    return await this.inTurn(id, async () => {
      await this.end(id);
      const call = this.callFor(folder, name(id.split(":")[0] ?? ""));
      const servers = serversOf(given.mcpServers ?? []);
      const session = await TeamSession.open({ id, call, editor }, servers, how === "load").catch(told);
      this.open.set(id, session);
      // The editor must know the session before it hears of it.
      setImmediate(() => void session.begin().catch((error: unknown) => call.say(messageOf(error))));
      return session;
    });
  }

  /** The newest first. */
  async list(cwd: string | null): Promise<SessionInfo[]> {
    const folder = cwd === null ? null : folderOf(cwd);
    const teams = knownTeams().filter((one) => folder === null || one.cwd === folder);
    const infos = await Promise.all(teams.map((one) => sessionInfo(one, idOf(one), process.env)));
    const there = infos.filter((one): one is SessionInfo => one !== null);
    return there.sort((a, b) => (b.updatedAt ?? "").localeCompare(a.updatedAt ?? "")).slice(0, LISTED_MAX);
  }

  async close(sessionId: string): Promise<void> {
    const { id } = this.of(sessionId);
    await this.inTurn(id, () => this.end(id));
  }

  async delete(id: string): Promise<void> {
    const one = knownTeams().find((known) => idOf(known) === id);
    // The protocol: one that is not there is deleted already.
    if (!one) return;
    await this.inTurn(id, async () => {
      await this.end(id);
      await deleteTeam(one, process.env).catch(told);
    });
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.open.values()].map((session) => session.close()));
  }

  private async end(id: string): Promise<void> {
    const session = this.open.get(id);
    this.open.delete(id);
    await session?.close();
  }

  /** A session is opened, closed and deleted one after the other, also where the editor does not wait. */
  private inTurn<T>(id: string, step: () => Promise<T>): Promise<T> {
    const done = (this.turns.get(id) ?? Promise.resolve()).then(step);
    this.turns.set(
      id,
      done.catch(() => {}),
    );
    return done;
  }
}

const newTeam = (): string => `editor-${randomBytes(4).toString("hex")}`;
const idOf = ({ team, cwd }: Pick<KnownTeam, "cwd"> & { readonly team: string }): string =>
  `${team}:${createHash("sha256").update(cwd).digest("hex").slice(0, 12)}`;

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
export function told(error: unknown): never {
  if (error instanceof RequestError) throw error;
  if (isEkidenError(error)) throw new RequestError(-32603, messageOf(error), { code: error.code });
  throw new RequestError(-32603, messageOf(error));
}

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
