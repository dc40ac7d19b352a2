/**
 * Workspace trust: an item of a project counts only once the person has said yes to it. Until then it is left out and named.
 * `deny`, `ask` and settings that cannot do harm always count.
 */
import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { childEnvironment } from "../../adapters/shell/environment.ts";
import { isWithin } from "../../core/paths/paths.ts";
import type { OwnCommand } from "../../core/project/own-command.ts";
import { ROLE_FOLDERS, type Role } from "../../core/project/role.ts";
import { mergeSettings } from "../../core/settings/merge.ts";
import type { Settings, SettingsLayer } from "../../core/settings/settings.ts";
import { userFolder } from "../own-folders.ts";
import { sqlitePath } from "../store-address.ts";
import {
  agentItem,
  allowId,
  commandItem,
  gitItem,
  hookId,
  MCP_FILE,
  roleItem,
  SETTINGS_FILE,
  serverId,
  serverItems,
  settingItems,
  type TrustItem,
  trustItem,
} from "./items.ts";
import { readMcpFile } from "./mcp-file.ts";
import { type FolderRecord, identityOf, readRecord, writeRecord } from "./record.ts";

export type ProjectTrust = {
  readonly project: string;
  /** Items that need the person's word and do not have it: left out. */
  readonly waiting: readonly TrustItem[];
  /** Items that have it. */
  readonly given: readonly TrustItem[];
  /** Items that are never used, with the reason. */
  readonly refused: readonly string[];
  /** The project's MCP servers that may be started, by name; `env` fills their variables. */
  readonly servers: Readonly<Record<string, unknown>>;
  readonly env: NodeJS.ProcessEnv;
  /** Whether the project's own git configuration may run programs. */
  readonly runsGit: boolean;
  /** Whether a teammate of the team may have this agent program, because the person has named it in this project. */
  runsAgent(spec: string): boolean;
  /** Whether the person has agreed to a command of the project, as it is now; true for one of the person's own. */
  sends(command: Pick<OwnCommand, "source" | "body">): boolean;
  /** The role; without its model, if it is the project's and the person has not agreed to it. */
  judged<T extends Pick<Role, "source" | "model">>(role: T): T;
};

export type Weighing = {
  /** Absolute, without links. */
  readonly cwd: string;
  /** The project's settings file; null for the library, whose settings are all its caller's. */
  readonly layer: SettingsLayer | null;
  /** The other sources, strongest first: flags and variables, then the user's file. */
  readonly above: readonly SettingsLayer[];
  readonly below: readonly SettingsLayer[];
  readonly env: NodeJS.ProcessEnv;
  /** The person's word for this run. */
  readonly all: boolean;
  /** The store, where it is known already. */
  readonly store?: string;
};

/** The project's layer without what waits, and the account of it. Reads only files that are there. */
export async function weighProject(
  wanted: Weighing,
): Promise<{ readonly layer: SettingsLayer; readonly trust: ProjectTrust }> {
  const { cwd, above, below, env, all } = wanted;
  const layer: Writable = { ...wanted.layer };
  const refused: string[] = [];
  const personal = mergeSettings([...above, ...below]);
  refuseAddress(layer, env, refused);
  const folder = userFolder();
  const record = readRecord(folder, cwd);
  const isGiven = ({ id, digest }: TrustItem): boolean => all || record.items[id]?.digest === digest;
  const fromFile = readMcpFile(cwd).servers;
  const items = [
    ...settingItems(layer, personal, cwd),
    ...serverItems(fromFile, MCP_FILE, cwd),
    ...(await rolesOf(cwd)).flatMap((role) => (role.model === "" ? [] : roleItem(role, cwd))),
  ];
  const ids = new Set(items.filter(isGiven).map(({ id }) => id));
  const servers = {
    ...pick(fromFile, (name) => ids.has(serverId(name, MCP_FILE))),
    ...pick(layer.mcpServers ?? {}, (name) => ids.has(serverId(name, SETTINGS_FILE))),
  };
  const judged = new Set(items.map(({ id }) => id));
  const counts = (id: string): boolean => !judged.has(id) || ids.has(id);
  for (const key of Object.keys(layer) as (keyof Settings)[])
    if (!counts(`${key} in ${SETTINGS_FILE}`)) delete layer[key];
  if (layer.allow) layer.allow = layer.allow.filter((rule) => counts(allowId(rule)));
  if (layer.hooks)
    layer.hooks = Object.fromEntries(
      Object.entries(layer.hooks).map(([event, list]) => [
        event,
        list?.filter((_, i) => counts(hookId(event, i))),
      ]),
    );
  delete layer.mcpServers;
  const named = [...above, ...below].some(({ store }) => store !== undefined);
  const url = wanted.store ?? mergeSettings([...above, layer, ...below]).store;
  items.push(...(named ? [] : foundStore(url, cwd, record)));
  const given = items.filter(isGiven);
  const trust: ProjectTrust = {
    ...{ project: cwd, refused, servers, given },
    waiting: items.filter((item) => !isGiven(item)),
    env: childEnvironment(env),
    runsGit: all || (record.items.git !== undefined && isGiven(gitItem(cwd))),
    runsAgent: (spec) => isGiven(agentItem(spec)),
    sends: (command) => !isWithin(cwd, command.source) || isGiven(commandItem(command, cwd)),
    judged: (role) => {
      const counts = role.model === "" || isWithin(folder, role.source) || isGiven(roleItem(role, cwd));
      return counts ? role : { ...role, model: "" };
    },
  };
  return { layer, trust };
}

type Writable = { -readonly [K in keyof SettingsLayer]: SettingsLayer[K] };

/** A key of the person never goes to an address that a project chose. */
function refuseAddress(layer: Writable, env: NodeJS.ProcessEnv, refused: string[]): void {
  if (layer.baseUrl === undefined || !env.OPENAI_COMPATIBLE_API_KEY) return;
  refused.push(
    `baseUrl in ${SETTINGS_FILE} (${layer.baseUrl}): your OPENAI_COMPATIBLE_API_KEY would be sent there. To use it, set it yourself: --base-url or EKIDEN_BASE_URL.`,
  );
  delete layer.baseUrl;
}

/** As the program itself reads them: another reader would understand a file in another way. */
async function rolesOf(cwd: string): Promise<readonly Role[]> {
  if (!ROLE_FOLDERS.some((folder) => existsSync(join(cwd, folder)))) return [];
  const { loadRoles } = await import("../../adapters/disk/library.ts");
  return (await loadRoles(cwd)).items;
}

const pick = (
  all: Readonly<Record<string, unknown>>,
  wanted: (name: string) => boolean,
): Record<string, unknown> => Object.fromEntries(Object.entries(all).filter(([name]) => wanted(name)));

const STORE_ID = "store in the project";

/** A database in the project that none of this person's processes created. */
function foundStore(url: string, cwd: string, { stores }: FolderRecord): TrustItem[] {
  let path: string | null;
  try {
    path = sqlitePath(url, cwd);
  } catch {
    return []; // reported where it is opened
  }
  if (path === null || !existsSync(path) || !isWithin(cwd, path)) return [];
  const identity = lstatSync(path).isSymbolicLink() ? "link" : identityOf(path);
  if (stores[path] === identity) return [];
  const shown = path.slice(cwd.length + 1);
  const text = `the store ${shown}, which another person or program made: its tasks, mail, members and schedules`;
  return [{ ...trustItem(STORE_ID, text), digest: trustItem("", `${path}\0${identity}`).digest }];
}

export const isStore = ({ id }: TrustItem): boolean => id === STORE_ID || id === `store in ${SETTINGS_FILE}`;

/** Keeps the person's yes to all that a project brings. */
export function recordTrust({ project }: ProjectTrust, items: readonly TrustItem[]): void {
  recordItems(project, [...items, gitItem(project)]);
}

export function recordItems(project: string, items: readonly TrustItem[]): void {
  const folder = userFolder();
  const record = readRecord(folder, project);
  const added = Object.fromEntries(items.map(({ id, digest, text }) => [id, { digest, text }]));
  writeRecord(folder, { ...record, items: { ...record.items, ...added } });
}

/** One line for each item; one that the person agreed to in another form says what it was. */
export function describe({ project }: ProjectTrust, items: readonly TrustItem[]): string[] {
  const { items: before } = readRecord(userFolder(), project);
  return items.map(({ id, text }) => {
    const was = before[id];
    if (was === undefined) return text;
    return was.text === text
      ? `${text} (a script that it names has changed)`
      : `${text} (changed; it was: ${was.text})`;
  });
}
