/**
 * Workspace trust: what a folder brings counts once the person has said yes to all of it, until any of it changes. Until then all that
 * could do harm is left out and named. `deny`, `ask` and settings that cannot do harm always count.
 */
import { existsSync, lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { childEnvironment } from "../../adapters/shell/environment.ts";
import { namesIn } from "../../adapters/small-files.ts";
import { lazy } from "../../core/lazy.ts";
import { isWithin } from "../../core/paths/paths.ts";
import type { OwnCommand } from "../../core/project/own-command.ts";
import { ROLE_FOLDERS, type Role } from "../../core/project/role.ts";
import { CODEX_ENVIRONMENTS } from "../../core/project/set-up.ts";
import { mergeSettings } from "../../core/settings/merge.ts";
import type { SettingsLayer } from "../../core/settings/settings.ts";
import { tried } from "../../core/tried.ts";
import { userFolder } from "../own-folders.ts";
import { sqlitePath } from "../store-address.ts";
import {
  agentItem,
  commandItem,
  digestOf,
  type GitItems,
  gitItems,
  MCP_FILE,
  needsWord,
  repositoryOf,
  roleItem,
  SETTINGS_FILE,
  serverItems,
  settingItems,
  type TrustItem,
  tomlFiles,
  trustItem,
} from "./items.ts";
import { readMcpFile } from "./mcp-file.ts";
import { type FolderRecord, identityOf, readRecord, writeRecord } from "./record.ts";

export type ProjectTrust = {
  readonly project: string;
  /** All that the folder brings, whatever the person's own settings are: its digest is agreed to. */
  readonly brought: readonly TrustItem[];
  /** Items that need the person's word and do not have it: left out. */
  readonly waiting: readonly TrustItem[];
  /** Items that are never used, with the reason. */
  readonly refused: readonly string[];
  /** The project's MCP servers that may be started, by name; `env` fills their variables. */
  readonly servers: Readonly<Record<string, unknown>>;
  readonly env: NodeJS.ProcessEnv;
  /** What the project's own git configuration would run, as it was when it was first looked at. */
  git(): GitItems;
  /** Whether that may run. */
  readonly runsGit: boolean;
  /** Whether a teammate of the team may have this agent program, because the person has named it in this project. */
  runsAgent(spec: string): boolean;
  /** The files by which the project would steer agent programs of other vendors. */
  agentFiles(): readonly TrustItem[];
  /** Those that one of them finds where it works and that the person has not agreed to, absolute. `names`: of its files. */
  steering(names: readonly string[], cwd: string): Promise<readonly string[]>;
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
  const fromFile = readMcpFile(cwd).servers;
  const brought = [
    ...settingItems(layer, cwd),
    ...serverItems(fromFile, MCP_FILE, cwd),
    ...(await rolesOf(cwd)).flatMap((role) => (role.model === "" ? [] : roleItem(role, cwd))),
  ];
  refuseAddress(layer, env, refused);
  const folder = userFolder();
  const record = readRecord(folder, cwd);
  const isGiven = ({ id, digest }: TrustItem): boolean => all || record.items[id]?.digest === digest;
  const needed = brought.filter((item) => needsWord(item, layer, personal));
  // The library reads no settings file, and records of earlier versions have the person's word for each item, without a digest.
  const isByItem = wanted.layer === null || record.digest === undefined;
  const isAgreed = all || (isByItem ? needed.every(isGiven) : record.digest === digestOf(brought));
  if (!isAgreed) for (const { key } of needed) if (key !== undefined) delete layer[key];
  const servers = isAgreed ? { ...fromFile, ...layer.mcpServers } : {};
  delete layer.mcpServers;
  const named = [...above, ...below].some(({ store }) => store !== undefined);
  const url = wanted.store ?? mergeSettings([...above, layer, ...below]).store;
  const stores = named ? [] : foundStore(url, cwd, record);
  const hasToml = tomlFiles(join(cwd, CODEX_ENVIRONMENTS)).length > 0;
  const toml = hasToml ? (await import("smol-toml")).parse : undefined;
  const git = lazy(() => gitItems(cwd, toml));
  // Most projects have none, and need not read how they are judged.
  const isSteered = foldersTo(repositoryOf(cwd).top, cwd).some((one) => namesIn(one).some(isSteering));
  const steered = isSteered ? (await import("./agent-files.ts")).agentFilesIn(cwd, cwd) : [];
  const trust: ProjectTrust = {
    ...{ project: cwd, brought, refused, servers },
    waiting: [...(isAgreed ? [] : needed), ...stores.filter((item) => !isGiven(item))],
    env: childEnvironment(env),
    git,
    runsGit: all || (record.items.git !== undefined && isGiven(git().whole)),
    runsAgent: (spec) => isGiven(agentItem(spec)),
    agentFiles: () => steered.map(({ item }) => item),
    steering: async (names, folder) => {
      const { agentFilesIn } = await import("./agent-files.ts");
      const given = new Set(Object.values(record.items).map(({ digest }) => digest));
      const found = all ? [] : agentFilesIn(folder, cwd, names);
      return found.flatMap(({ path, item }) => (given.has(item.digest) ? [] : path));
    },
    sends: (command) => !isWithin(cwd, command.source) || isGiven(commandItem(command, cwd)),
    judged: (role) => {
      const isOwn = role.model === "" || isWithin(folder, role.source);
      return isOwn || (isAgreed && isGiven(roleItem(role, cwd))) ? role : { ...role, model: "" };
    },
  };
  return { layer, trust };
}

/** The names of `core/project/agent-files.ts`. */
const isSteering = (name: string): boolean =>
  /^(?:\.(?:claude|mcp\.json|codex|agents|opencode|gemini|qwen|env)|opencode\.jsonc?)$/.test(name);
const foldersTo = (top: string, folder: string): string[] =>
  folder === top || dirname(folder) === folder ? [folder] : [folder, ...foldersTo(top, dirname(folder))];

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

const STORE_ID = "store in the project";

/** A database in the project that none of this person's processes created. */
function foundStore(url: string, cwd: string, { stores }: FolderRecord): TrustItem[] {
  const path = tried(() => sqlitePath(url, cwd), null); // a fault is reported where it is opened
  if (path === null || !existsSync(path) || !isWithin(cwd, path)) return [];
  const identity = lstatSync(path).isSymbolicLink() ? "link" : identityOf(path);
  if (stores[path] === identity) return [];
  const shown = path.slice(cwd.length + 1);
  const text = `the store ${shown}, which another person or program made: its tasks, mail, members and schedules`;
  return [{ ...trustItem(STORE_ID, text), digest: trustItem("", `${path}\0${identity}`).digest }];
}

export const isStore = ({ id }: TrustItem): boolean => id === STORE_ID || id === `store in ${SETTINGS_FILE}`;

/** Agreed to one by one, each when it was named: not what the files of the folder bring together. */
const BY_NAME = /^(?:teammate|command) |^store in the project$/;

const byId = (items: readonly TrustItem[]): FolderRecord["items"] =>
  Object.fromEntries(items.map(({ id, digest, text }) => [id, { digest, text }]));

/** The list that the person is shown, and agrees to as a whole. */
export function asked({ project, brought, waiting, git, agentFiles }: ProjectTrust): readonly TrustItem[] {
  const stores = waiting.filter(({ id }) => id === STORE_ID);
  const { whole, parts } = git();
  const { items } = readRecord(userFolder(), project);
  const isOpen = items.git?.digest !== whole.digest;
  const all = waiting.length > stores.length ? brought : [];
  const shown = new Set(all.map(({ id }) => id.replace(/^MCP server .* in /, "agent file "))); // the servers of `.mcp.json`
  const files = agentFiles().filter(({ id, digest }) => !shown.has(id) && items[id]?.digest !== digest);
  return [...all, ...stores, ...(isOpen ? parts : []), ...files];
}

/** Keeps the person's yes to all that was `asked`. */
export function recordTrust(trust: ProjectTrust): void {
  const { project, brought, waiting } = trust;
  const { whole, parts } = trust.git();
  const { items: before, ...record } = readRecord(userFolder(), project);
  const isFolder = waiting.some(({ id }) => id !== STORE_ID);
  const kept = Object.entries(before).filter(([id]) => !isFolder || BY_NAME.test(id));
  const items = {
    ...Object.fromEntries(kept),
    ...byId([...asked(trust), ...parts, whole, ...trust.agentFiles()]),
  };
  writeRecord(userFolder(), { ...record, ...(isFolder && { digest: digestOf(brought) }), items });
}

/** Keeps the person's yes to items that it has named. */
export function recordItems(project: string, items: readonly TrustItem[]): void {
  const record = readRecord(userFolder(), project);
  writeRecord(userFolder(), { ...record, items: { ...record.items, ...byId(items) } });
}

/** One line for each item, those first that are new or other than at the last agreement. */
export function describe({ project }: ProjectTrust, items: readonly TrustItem[]): string[] {
  const { items: before } = readRecord(userFolder(), project);
  const isFirst = !Object.keys(before).some((id) => !BY_NAME.test(id));
  const isSame = ({ id, digest }: TrustItem): boolean => before[id]?.digest === digest;
  const news = items
    .filter((item) => !isSame(item))
    .map(({ id, text }) => {
      const was = before[id]?.text;
      if (was === undefined) return isFirst ? text : `${text} (new)`;
      return `${text} (${was === text ? "a script that it names has changed" : `changed; it was: ${was}`})`;
    });
  return [...news, ...items.filter(isSame).map(({ text }) => text)];
}
