/**
 * Looks which agent programs this machine has. Only those that can say quickly whether they are logged in are started for it; one that
 * lies in the project is never taken. The package.json beside a program gives its version, and the Node that it needs.
 */
import { execFile } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { agentLine, withProgram } from "../../core/settings/agent-line.ts";
import { isProgram, outsideProgram } from "../outside-programs.ts";
import { PRESETS, type Preset } from "./presets.ts";

export type AgentProgram = {
  readonly name: string;
  readonly title: string;
  /** The line that makes it speak the Agent Client Protocol over stdio. */
  readonly command: string;
  /** Where the program is; null: not in PATH. */
  readonly path: string | null;
  /** Null where the program is not there, or comes from no npm package. */
  readonly version: string | null;
  /**
   * A variable with this name, or this file, is there, or the program says that it is logged in; null: none of them. Nobody asked the
   * vendor whether it is valid.
   */
  readonly login: string | null;
  readonly state: "absent" | "too old" | "logged out" | "ready";
  /** One sentence for each thing that is missing, with what to do. */
  readonly missing: readonly string[];
};

/** `folder`: the project. `env`: PATH, HOME and the variables of logins. */
export type Where = { readonly folder: string; readonly env: NodeJS.ProcessEnv };

const NODE_MS = 3_000;
/** A program that takes longer to say whether it is logged in is judged by its files. */
const STATUS_MS = 5_000;
const runFile = promisify(execFile);

/** Every preset, in the order of the table. */
export async function agentPrograms(where: Where): Promise<AgentProgram[]> {
  const found = PRESETS.map((preset) => ({
    preset,
    path: outsideProgram(preset.command[0], where.env.PATH, where.folder),
  }));
  const node = found.some(({ path }) => path !== null) ? await nodeVersion(where) : null;
  return await Promise.all(found.map(({ preset, path }) => look(preset, path, node, where)));
}

/** A program that is no preset, by the line that starts it. */
export function otherProgram(line: string, { folder, env }: Where): AgentProgram {
  const [program = ""] = withProgram(agentLine(`acp:${line}`)?.command ?? [], isProgram);
  const whole = program.startsWith("/") && isProgram(program) ? program : null;
  const path = whole ?? outsideProgram(program, env.PATH, folder);
  const where = program.startsWith("/") ? "is no program" : "is not in PATH";
  const missing = path === null ? [`${program} ${where}.`] : [];
  const state = path === null ? "absent" : "ready";
  return {
    name: `acp:${line}`,
    title: program,
    command: line,
    path,
    version: null,
    login: null,
    state,
    missing,
  };
}

async function look(
  preset: Preset,
  path: string | null,
  node: string | null,
  where: Where,
): Promise<AgentProgram> {
  const { name, title, command } = preset;
  const program = { name, title, command: command.join(" "), path };
  const login = await loginIn(preset, where);
  const inOrOut = login === null ? "logged out" : "ready";
  const own = path !== null || preset.adapts === undefined ? null : outside(preset.adapts, where);
  if (own !== null && preset.headless) {
    const better = `It works as ${preset.adapts} alone. More is seen of it with ${command[0]}: npm install --global ${preset.package}`;
    const missing = [...missingLogin(preset, login), better];
    return { ...program, path: own, version: null, login, state: inOrOut, missing };
  }
  if (path === null)
    return {
      ...program,
      version: null,
      login,
      state: "absent",
      missing: [`Install it: npm install --global ${preset.package}`],
    };
  const { version, needs } = packageOf(path, preset.package);
  const missing: string[] = [];
  const isTooOld = needs !== null && node !== null && isOlder(node, needs);
  if (isTooOld) missing.push(`${title} needs Node ${needs}; the node in PATH is ${node}.`);
  missing.push(...missingLogin(preset, login));
  return { ...program, version, login, state: isTooOld ? "too old" : inOrOut, missing };
}

function missingLogin({ hidden, login: how }: Preset, login: string | null): string[] {
  if (login !== null) return [];
  const isHidden = hidden?.includes(process.platform);
  return [`${isHidden ? "Its login cannot be seen on this system." : "No login was found."} ${how}`];
}

const outside = (program: string, { env, folder }: Where): string | null =>
  outsideProgram(program, env.PATH, folder);

/** What the program itself says counts more than a file of it, which may be old. */
async function loginIn(preset: Preset, where: Where): Promise<string | null> {
  const { variables, status, adapts, command } = preset;
  const found = loginOf(preset, where.env);
  const file = status && outside(adapts ?? command[0], where);
  if (!file || variables.some((name) => where.env[name])) return found;
  const run = runFile(file, status.args, { timeout: STATUS_MS, cwd: "/", env: where.env });
  const { stdout = "", stderr = "" } = await run.catch((error: Partial<Awaited<typeof run>>) => error);
  const said = `${stdout}\n${stderr}`;
  if (status.isIn.test(said)) return found ?? `${adapts ?? command[0]} ${status.args.join(" ")}`;
  return status.isOut.test(said) ? null : found;
}

export function loginOf({ variables, loginFile }: Preset, env: NodeJS.ProcessEnv): string | null {
  const variable = variables.find((name) => env[name]);
  if (variable !== undefined) return variable;
  const folder = env[loginFile.variable] || join(env.HOME || homedir(), loginFile.folder);
  const file = join(folder, loginFile.path);
  return existsSync(file) ? file : null;
}

/** Two fields of the package.json above the program; nulls where it is that of another package, or there is none. */
function packageOf(path: string, name: string): { version: string | null; needs: string | null } {
  for (let at = realpathSync(path); at !== dirname(at); at = dirname(at)) {
    try {
      const file = JSON.parse(readFileSync(join(dirname(at), "package.json"), "utf8")) as PackageFile;
      if (file.name !== name) continue;
      const { version, engines } = file;
      return { version: textOr(version), needs: textOr(engines?.node) };
    } catch {
      // No such file here, or one that is none: the next folder may have it.
    }
  }
  return { version: null, needs: null };
}

type PackageFile = { name?: unknown; version?: unknown; engines?: { node?: unknown } } & object;
const textOr = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** That of the node in PATH: it runs these programs, also where another one runs Ekiden. */
async function nodeVersion({ env, folder }: Where): Promise<string | null> {
  const node = outsideProgram("node", env.PATH, folder);
  if (node === null) return null;
  const run = runFile(node, ["--version"], { timeout: NODE_MS, cwd: "/", env });
  return await run.then(
    ({ stdout }) => stdout.trim(),
    () => null,
  );
}

/** Whether "v20.11.1" is older than ">=22" or ">=20.19.0" asks for. Ranges of another form are not judged. */
export function isOlder(node: string, needs: string): boolean {
  const wanted = /^>=\s*v?(\d+(?:\.\d+){0,2})$/.exec(needs.trim())?.[1];
  if (wanted === undefined) return false;
  const [is, least] = [node.replace(/^v/, ""), wanted].map((text) => text.split(".").map(Number));
  for (const [i, number] of (least ?? []).entries())
    if ((is?.[i] ?? 0) !== number) return (is?.[i] ?? 0) < number;
  return false;
}
