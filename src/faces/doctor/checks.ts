/** The checks of `ekiden doctor`: each changes nothing and never shows a key. Here: what the machine has, the settings, the store. */

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter } from "node:path";
import { promisify } from "node:util";
import { isEkidenError, messageOf } from "../../core/errors.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { counted } from "../../core/views/view.ts";
import { sqlitePath, storeUrl } from "../../project/store-address.ts";
import { isStore, type ProjectTrust } from "../../project/trust/weigh.ts";
import type { Invocation } from "../kit/invocation.ts";
import { type Finding, missing, ok, wrong } from "./finding.ts";
import { gateFinding } from "./gate.ts";
import { chosenModel, providers } from "./models.ts";
import { agentFiles, hooks, mcpServers, settingsFiles } from "./project.ts";
import { sandbox, trusted } from "./safety.ts";

const PROBE_MS = 3_000;

export async function runChecks(call: Invocation): Promise<Finding[]> {
  const { settings, finding } = await settingsOf(call);
  const trust = settings && (await call.trust());
  const checks: (Finding | Promise<Finding>)[] = [
    node(),
    sqlite(),
    program(call, "git", "Install git; without it there are no worktrees."),
    program(call, "bash", "Install bash; commands run with sh meanwhile."),
    ripgrep(call),
    agents(call),
    finding,
    ...(settings && trust
      ? [
          sandbox(call, settings),
          trusted(trust),
          store(call, settings, trust),
          chosenModel(call, settings),
          gateFinding(call.cwd, settings.gate),
        ]
      : []),
    ...(await providers(call, settings)),
  ];
  const ofProject = [
    agentFiles(call),
    ...(settings && trust ? [hooks(call, settings), mcpServers(call, settings, trust)] : []),
  ];
  return [...(await Promise.all(checks)), ...(await Promise.all(ofProject)).flat()];
}

/** Agents of other vendors: nobody needs them, so none of them is wrong. */
async function agents({ cwd, env }: Invocation): Promise<Finding> {
  const { agentPrograms } = await import("../../adapters/agents/look.ts");
  const here = (await agentPrograms({ folder: cwd, env })).filter(({ path }) => path !== null);
  const found = here.map(({ name, version }) => [name, version].filter(Boolean).join(" ")).join(", ");
  const fix = here.flatMap(({ name, missing: lacks }) => lacks.map((text) => `${name}: ${text}`));
  return found === "" ? missing("agents", "none found") : ok("agents", found, fix.join("\n"));
}

async function settingsOf(call: Invocation): Promise<{ settings: Settings | null; finding: Finding }> {
  try {
    const found = `valid; ${settingsFiles(call.cwd)}`;
    return { settings: await call.settings(), finding: ok("settings", found) };
  } catch (error) {
    if (!isEkidenError(error, "settings_invalid")) throw error;
    const problems = error.details.problems as readonly string[];
    return { settings: null, finding: wrong("settings", problems.join("\n"), "Correct these lines.") };
  }
}

function node(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const isNew = major > 20 || (major === 20 && minor >= 19);
  const found = `${process.version} on ${process.platform} ${process.arch}`;
  return isNew ? ok("node", found) : wrong("node", found, "Install Node 20.19 or newer.");
}

async function sqlite(): Promise<Finding> {
  const name = "sqlite";
  // Computed, so that neither the bundler nor the types need to know a module that this Node may not have.
  const builtIn = "node:sqlite";
  try {
    const { DatabaseSync } = (await import(builtIn).catch(
      () => import("@photostructure/sqlite"),
    )) as SqliteModule;
    const database = new DatabaseSync(":memory:");
    const row = database.prepare("select sqlite_version() as version").get() as { version: string };
    database.close();
    return ok(name, `SQLite ${row.version}`);
  } catch (error) {
    const fix =
      "Run npm install again with optional dependencies, or use Node 22.13 or newer, or a PostgreSQL store.";
    return wrong(name, `no driver works: ${messageOf(error)}`, fix);
  }
}

type SqliteModule = {
  readonly DatabaseSync: new (path: string) => { prepare(sql: string): { get(): unknown }; close(): void };
};

const runFile = promisify(execFile);

async function program({ cwd }: Invocation, name: string, fix: string, file = name): Promise<Finding> {
  try {
    const { outsideFolders } = await import("../../adapters/outside-programs.ts");
    const PATH = outsideFolders(process.env.PATH, cwd).join(delimiter);
    const options = { timeout: PROBE_MS, cwd: "/", env: { ...process.env, PATH } };
    const { stdout } = await runFile(file, ["--version"], options);
    return ok(name, stdout.split("\n")[0]?.trim() ?? "");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    return missing(name, code === "ENOENT" ? "not found" : messageOf(error), fix);
  }
}

async function ripgrep(call: Invocation): Promise<Finding> {
  const fix =
    "Run npm install again: ripgrep comes with the package @vscode/ripgrep. Searching falls back to what the machine has.";
  try {
    const { rgPath } = await import("@vscode/ripgrep");
    return await program(call, "ripgrep", fix, rgPath);
  } catch {
    return program(call, "ripgrep", fix, "rg");
  }
}

async function store(call: Invocation, settings: Settings, { waiting }: ProjectTrust): Promise<Finding> {
  const name = "store";
  if (waiting.some(isStore)) return missing(name, "not opened: it waits for your word", "See trust.");
  const path = sqlitePath(settings.store, call.cwd);
  if (path !== null && !existsSync(path)) return ok(name, `${path} will be created when it is first needed`);
  try {
    const [{ openStore }, { systemClock }] = await Promise.all([
      import("../../adapters/store/index.ts"),
      import("../../adapters/clock.ts"),
    ]);
    const open = await openStore({
      url: storeUrl(settings, call.cwd),
      team: settings.team,
      clock: systemClock,
      access: "look",
    });
    try {
      const { total } = await open.board.counts();
      return ok(name, `${path ?? "PostgreSQL"}: team "${open.team}", ${counted(total, "task")}`);
    } finally {
      await open.close();
    }
  } catch (error) {
    if (isEkidenError(error, "not_found"))
      return ok(name, `no team "${settings.team}" there yet; it is made when it is first needed`);
    return wrong(name, messageOf(error), "See --store, or name another file.");
  }
}
