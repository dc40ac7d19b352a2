/** The checks of `ekiden doctor`. Each is short, changes nothing, and never lets a key out. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import type { Provider } from "../adapters/models/index.ts";
import { isEkidenError, messageOf } from "../core/errors.ts";
import type { Settings } from "../core/settings.ts";
import type { Invocation } from "./invocation.ts";
import { sqlitePath, storeUrl } from "./open.ts";

const PROBE_MS = 3_000;

export type Finding = {
  readonly name: string;
  /** `missing`: not there, and only some work needs it. */
  readonly state: "ok" | "missing" | "wrong";
  readonly found: string;
  readonly fix?: string;
};

export async function runChecks(call: Invocation): Promise<Finding[]> {
  const { settings, finding } = await settingsOf(call);
  const checks: (Finding | Promise<Finding>)[] = [
    node(),
    sqlite(),
    program("git", "Install git; without it there are no worktrees.", "missing"),
    program("bash", "Install bash; commands run with sh meanwhile.", "missing"),
    ripgrep(),
    finding,
    ...(settings ? [store(call, settings), chosenModel(call, settings)] : []),
    ...(await providers(call, settings)),
  ];
  return Promise.all(checks);
}

async function settingsOf(call: Invocation): Promise<{ settings: Settings | null; finding: Finding }> {
  try {
    return { settings: await call.settings(), finding: { name: "settings", state: "ok", found: "valid" } };
  } catch (error) {
    if (!isEkidenError(error, "settings_invalid")) throw error;
    const problems = error.details.problems as readonly string[];
    return {
      settings: null,
      finding: { name: "settings", state: "wrong", found: problems.join("\n"), fix: "Correct these lines." },
    };
  }
}

function node(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const ok = major > 20 || (major === 20 && minor >= 19);
  const found = `${process.version} on ${process.platform} ${process.arch}`;
  return ok
    ? { name: "node", state: "ok", found }
    : { name: "node", state: "wrong", found, fix: "Install Node 20.19 or newer." };
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
    return { name, state: "ok", found: `SQLite ${row.version}` };
  } catch (error) {
    const fix =
      "Run npm install again with optional dependencies, or use Node 22.13 or newer, or a PostgreSQL store.";
    return { name, state: "wrong", found: `no driver works: ${messageOf(error)}`, fix };
  }
}

type SqliteModule = {
  readonly DatabaseSync: new (path: string) => { prepare(sql: string): { get(): unknown }; close(): void };
};

const runFile = promisify(execFile);

async function program(
  name: string,
  fix: string,
  otherwise: Finding["state"],
  file = name,
): Promise<Finding> {
  try {
    const { stdout } = await runFile(file, ["--version"], { timeout: PROBE_MS });
    return { name, state: "ok", found: stdout.split("\n")[0]?.trim() ?? "" };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    return { name, state: otherwise, found: code === "ENOENT" ? "not found" : messageOf(error), fix };
  }
}

async function ripgrep(): Promise<Finding> {
  const fix =
    "Run npm install again: ripgrep comes with the package @vscode/ripgrep. Searching falls back to what the machine has.";
  try {
    const { rgPath } = await import("@vscode/ripgrep");
    return await program("ripgrep", fix, "missing", rgPath);
  } catch {
    return program("ripgrep", fix, "missing", "rg");
  }
}

async function store(call: Invocation, settings: Settings): Promise<Finding> {
  const name = "store";
  const path = sqlitePath(settings.store, call.cwd);
  if (path !== null && !existsSync(path))
    return { name, state: "ok", found: `${path} will be made when it is first needed` };
  try {
    const [{ openStore }, { systemClock }] = await Promise.all([
      import("../adapters/store/index.ts"),
      import("../adapters/clock.ts"),
    ]);
    const open = await openStore({
      url: storeUrl(settings, call.cwd),
      team: settings.team,
      clock: systemClock,
      mustExist: true,
    });
    try {
      const { total } = await open.board.counts();
      return {
        name,
        state: "ok",
        found: `${path ?? "PostgreSQL"}: team "${open.team}", ${total} ${total === 1 ? "task" : "tasks"}`,
      };
    } finally {
      await open.close();
    }
  } catch (error) {
    return { name, state: "wrong", found: messageOf(error), fix: "See --store, or name another file." };
  }
}

/** What a run would use, were it started now. */
async function chosenModel({ env }: Invocation, { model }: Settings): Promise<Finding> {
  const name = "model";
  try {
    const { chooseModel } = await import("../adapters/models/index.ts");
    return { name, state: "ok", found: await chooseModel({ env, setting: model }) };
  } catch (error) {
    return { name, state: "missing", found: "none is configured", fix: messageOf(error) };
  }
}

/** Found where a run would find them. */
async function providers({ env }: Invocation, settings: Settings | null): Promise<Promise<Finding>[]> {
  const { PROVIDERS } = await import("../adapters/models/index.ts");
  const wanted = [settings?.model, settings?.leadModel].map((spec) => spec?.split("/")[0]);
  return PROVIDERS.flatMap((provider) => {
    const isWanted = wanted.includes(provider.name);
    const given = isWanted || provider.name === "openai-compatible" ? settings?.baseUrl : undefined;
    try {
      const address = provider.address({ env, baseUrl: given ?? "" });
      return address === null ? [] : [examineProvider(provider, address, env, isWanted)];
    } catch (error) {
      const label = `model: ${provider.name}`;
      return [Promise.resolve<Finding>({ name: label, state: "wrong", found: messageOf(error) })];
    }
  });
}

async function examineProvider(
  { name, keyVariable: key }: Provider,
  address: string,
  env: NodeJS.ProcessEnv,
  wanted: boolean,
): Promise<Finding> {
  const label = `model: ${name}`;
  const worst = wanted ? "wrong" : "missing";
  if (key !== "" && !env[key]) {
    return {
      name: label,
      state: worst,
      found: `${key} is not set`,
      ...(wanted && { fix: `Set ${key}, or choose another --model.` }),
    };
  }
  const reached = await reach(address);
  const found = `${key === "" ? "" : "key is set, "}${reached ? "reachable" : "cannot be reached"}`;
  if (reached) return { name: label, state: "ok", found };
  const fix = key === "" && !wanted ? undefined : "Check the network, the proxy, and the address.";
  return { name: label, state: key === "" ? worst : "wrong", found, ...(fix && { fix }) };
}

/** Any answer will do: what is asked is whether somebody is there. */
async function reach(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, {
      method: "HEAD",
      redirect: "manual",
      signal: AbortSignal.timeout(PROBE_MS),
    });
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  }
}
