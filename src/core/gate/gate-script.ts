/**
 * The parts of files that a gate runs: the scripts of package.json that it names, the recipes of a Makefile, the lines of a shell script,
 * and what those start. Other scripts and targets of the same files are not among them. Pure but for `read`.
 */
import { pathPattern } from "../paths/path-pattern.ts";
import { type Read, runnerSettings } from "./runner-settings.ts";

export type { Read };

const DEPTH_MAX = 5;
const FILES_MAX = 40;
const LINKS_MAX = 5;
const SHELLS = new Set("sh bash zsh dash ash ksh source . exec time env command nice timeout".split(" "));
const INTERPRETERS = new Set("node tsx ts-node deno bun python python3 ruby perl php lua Rscript".split(" "));
const RUNNERS = new Set("npm pnpm yarn bun npx".split(" "));
/** A program that is built here is what the gate judges, not what judges. */
const SOURCE = /^(?:src|lib|app|apps|packages|dist|build|internal|cmd|pkg)\//;

/** By "FILE" or "FILE NAME": what runs there, without comments and layout. `touched`: the settings of runners that are of interest. */
export async function gateParts(
  gate: string,
  read: Read,
  touched: ReadonlySet<string>,
): Promise<Map<string, string>> {
  const parts = new Map<string, string>();
  await follow(gate, "", 0, { parts, read, touched });
  return parts;
}

type Walk = {
  readonly parts: Map<string, string>;
  readonly read: Read;
  readonly touched: ReadonlySet<string>;
};

async function follow(script: string, from: string, depth: number, walk: Walk): Promise<void> {
  if (depth > DEPTH_MAX || walk.parts.size > FILES_MAX) return;
  let folder = from;
  for (const command of commandsIn(script)) {
    const words = command.filter((word) => !/^\w+=/.test(word));
    const at = words.findIndex(
      (word) => !SHELLS.has(word) && !word.startsWith("-") && !/^\d+\w?$/.test(word),
    );
    const isShell = at > 0;
    await settingsOf(words, folder, walk);
    const [program = "", ...args] = words.slice(Math.max(0, at));
    // "sh -c 'a line'". The text behind "node -e" is no line of a shell.
    const isLine = words.slice(0, at).some((word) => /^-\w*c$/.test(word));
    if (isShell && isLine && /\s/.test(program)) await follow(program, folder, depth + 1, walk);
    else if (INTERPRETERS.has(program) && args.some((arg) => /^-{1,2}(?:c|e|p|pe|ne|eval|print)$/.test(arg)))
      continue;
    else if (program === "cd") folder = joined(folder, args[0] ?? "");
    else if (RUNNERS.has(program) && program !== "npx")
      await packageScript(program, args, folder, depth, walk);
    else if (/^g?make$|^just$|^task$/.test(program)) await recipes(program, args, folder, depth, walk);
    else if (program === "composer")
      await jsonScript("composer.json", args.filter(isName), folder, depth, walk);
    else {
      const file = INTERPRETERS.has(program) ? args.find((arg) => !arg.startsWith("-")) : program;
      if (file !== undefined && (isShell || INTERPRETERS.has(program) || program.includes("/")))
        await scriptFile(joined(folder, file), folder, depth, walk);
      else if (/\.\w+$/.test(program)) await scriptFile(joined(folder, program), folder, depth, walk);
      // "timeout 60 sh check.sh", "xvfb-run make test", "concurrently 'npm test'".
      for (const arg of args.filter((one) => /\s/.test(one))) await follow(arg, folder, depth + 1, walk);
      const inner = args.findIndex((one) => SHELLS.has(one) || RUNNERS.has(one) || one === "make");
      if (inner !== -1) await follow(args.slice(inner).map(quoted).join(" "), folder, depth + 1, walk);
    }
  }
}

/** What the runners that a command names read by themselves. */
async function settingsOf(words: readonly string[], folder: string, walk: Walk): Promise<void> {
  const { parts, read, touched } = walk;
  const known: Read = async (path) => (touched.has(path) ? await read(path) : null);
  for (const [path, text] of await runnerSettings(words, (file) => joined(folder, file), known))
    parts.set(`${path} settings`, bare(text));
}

/** As git stores it, a link holds the path that it leads to: one line without an end. */
const LINK = /^[^\n\0]{1,1000}$/;

/** The path behind links on the way to it, each of which is a part of the gate, too; `path` itself where there is none. */
async function behindLinks(path: string, { parts, read }: Walk): Promise<string> {
  let now = path;
  for (let nth = 0; nth < LINKS_MAX; nth += 1) {
    const names = now.split("/");
    // A file is read at once; folders are looked at where nothing is there.
    const whole = await read(now);
    const ends = whole === null ? names.slice(1).map((_, at) => at + 1) : [names.length];
    let next: string | null = null;
    for (const end of ends) {
      const head = names.slice(0, end).join("/");
      const text = end === names.length ? whole : await read(head);
      if (text === null || !LINK.test(text)) continue;
      const to = joined(names.slice(0, end - 1).join("/"), text);
      next = [to, ...names.slice(end)].join("/");
      if (text.startsWith("/") || (await read(next)) === null) return now;
      parts.set(head, text);
      break;
    }
    if (next === null) return now;
    now = next;
  }
  return now;
}

const isName = (word: string): boolean => /^[\w:.-]+$/.test(word) && !word.startsWith("-");
const quoted = (word: string): string => (/\s/.test(word) ? `'${word.replaceAll("'", '"')}'` : word);

async function scriptFile(named: string, folder: string, depth: number, walk: Walk): Promise<void> {
  const path = SOURCE.test(named) ? named : await behindLinks(named, walk);
  if (walk.parts.has(path) || SOURCE.test(path)) return;
  const text = await walk.read(path);
  if (text === null) return;
  walk.parts.set(path, bare(text));
  if (/\.(?:[cm]?[jt]sx?|py|rb|pl|php)$/.test(path)) return;
  await follow(bare(text), folder, depth + 1, walk);
}

async function packageScript(
  program: string,
  args: readonly string[],
  folder: string,
  depth: number,
  walk: Walk,
) {
  const at = args.findIndex((arg) => ["--prefix", "-C", "--cwd", "--dir"].includes(arg));
  const inside = at === -1 ? folder : joined(folder, args[at + 1] ?? "");
  const names = args.filter((arg, nth) => isName(arg) && (at === -1 || nth !== at + 1));
  const [first, second] = names;
  const name = first === "run" || first === "run-script" ? second : first;
  const short = name === "t" || name === "tst" ? "test" : name;
  if (short === undefined || (program === "bun" && first === "test")) return;
  await jsonScript("package.json", [short], inside, depth, walk);
}

async function jsonScript(file: string, names: readonly string[], folder: string, depth: number, walk: Walk) {
  const path = await behindLinks(joined(folder, file), walk);
  const scripts = scriptsOf(await walk.read(path));
  for (const name of names.flatMap((one) => [`pre${one}`, one, `post${one}`])) {
    const line = scripts[name];
    const key = `${path} ${name}`;
    if (line === undefined || walk.parts.has(key)) continue;
    walk.parts.set(key, bare(line));
    await follow(line, folder, depth + 1, walk);
  }
}

/** The scripts of a package.json; none where it cannot be read. */
function scriptsOf(text: string | null): Record<string, string> {
  try {
    const { scripts } = JSON.parse(text ?? "{}") as { scripts?: Record<string, unknown> };
    return Object.fromEntries(
      Object.entries(scripts ?? {}).map(([name, line]) => [
        name,
        Array.isArray(line) ? line.join("\n") : String(line),
      ]),
    );
  } catch {
    return {};
  }
}

const MAKEFILES: Readonly<Record<string, readonly string[]>> = {
  ...{ make: ["GNUmakefile", "makefile", "Makefile"], gmake: ["GNUmakefile", "makefile", "Makefile"] },
  ...{ just: ["justfile", "Justfile", ".justfile"], task: ["Taskfile.yml", "Taskfile.yaml"] },
};

async function recipes(program: string, args: readonly string[], folder: string, depth: number, walk: Walk) {
  const at = args.findIndex((arg) => ["-C", "-f", "--directory", "--file"].includes(arg));
  const given = at === -1 ? undefined : args[at + 1];
  const isFile = args[at] === "-f" || args[at] === "--file";
  const inside = given === undefined || isFile ? folder : joined(folder, given);
  const files = given !== undefined && isFile ? [given] : (MAKEFILES[program] ?? []);
  const targets = args.filter((arg, nth) => isName(arg) && (at === -1 || nth !== at + 1));
  for (const file of files) {
    const path = await behindLinks(joined(inside, file), walk);
    const text = await walk.read(path);
    if (text === null) continue;
    const sources: Source[] = [{ path, text }];
    await included(sources, inside, walk);
    const first = sources.flatMap((one) => /^(?!\.)([\w.-]+)\s*:(?!=)/m.exec(one.text)?.[1] ?? [])[0];
    for (const target of targets.length > 0 ? targets : [first ?? ""])
      await recipe(sources, target, inside, depth, walk);
    return;
  }
}

type Source = { readonly path: string; readonly text: string };

/** The files that the first one includes, and those include: one of them can give a target another recipe. */
async function included(sources: Source[], folder: string, { parts, read, touched }: Walk): Promise<void> {
  for (let nth = 0; nth < sources.length && nth < FILES_MAX; nth += 1) {
    const names = [...(sources[nth]?.text ?? "").matchAll(/^(?:[-s]?include|import\??)\s+(.*)$/gm)]
      .flatMap(([, list = ""]) => list.split(/\s+/))
      .map((name) => joined(folder, name.replace(/^['"]|['"]$/g, "")));
    // Of a pattern those are of interest that change.
    const paths = names.flatMap((name) =>
      name.includes("*") ? [...touched].filter((path) => pathPattern(name).test(path)) : [name],
    );
    for (const path of paths) {
      const text = sources.some((one) => one.path === path) ? null : await read(path);
      if (text === null) continue;
      parts.set(path, bare(text));
      sources.push({ path, text });
    }
  }
}

/** What the head of a rule of a Makefile, a justfile or a Taskfile needs, where it is the one of `target`; else null. */
function needsOf(line: string, target: string): string | null {
  const [, names = "", needs = ""] = /^(?: {2}|@)?([^\s:=#][^:=]*):(?!=)(.*)$/.exec(line) ?? [];
  return names.split(/\s+/).some((one) => one.replace(/^['"]|['"]$/g, "") === target) ? needs : null;
}

async function recipe(
  sources: readonly Source[],
  target: string,
  folder: string,
  depth: number,
  walk: Walk,
): Promise<void> {
  const has = ({ text }: Source): boolean => text.split("\n").some((line) => needsOf(line, target) !== null);
  const source = target === "" ? undefined : sources.find(has);
  const key = `${source?.path} ${target}`;
  if (source === undefined || walk.parts.has(key)) return;
  const lines = source.text.split("\n");
  const from = lines.findIndex((line) => needsOf(line, target) !== null);
  const needs = needsOf(lines[from] ?? "", target) ?? "";
  const indent = /^\s*/.exec(lines[from] ?? "")?.[0].length ?? 0;
  const rest = lines.slice(from + 1);
  const end = rest.findIndex((line) => line.trim() !== "" && (/^\s*/.exec(line)?.[0].length ?? 0) <= indent);
  const body = end === -1 ? rest : rest.slice(0, end);
  // A "-" before a line ignores its exit code: it belongs to the line.
  const used = [...`${needs}\n${body.join("\n")}`.matchAll(/\$[({](\w+)[)}]/g)].map(([, one]) => one);
  const variables = lines.filter(
    (line) =>
      /^(?:-?include\s|sinclude\s|MAKEFLAGS|SHELL|(?:export\s+)?(?:PATH|\w+(?:OPTS|OPTIONS))\s*[:?+]?=|\.SHELLFLAGS|\.IGNORE|\.ONESHELL|set )/.test(
        line,
      ) || used.includes(/^(?:export\s+)?(\w+)\s*[:?+]?=/.exec(line)?.[1] ?? ""),
  );
  walk.parts.set(key, bare([needs, ...variables, ...body].join("\n")));
  for (const need of needs.split(/\s+/).filter(isName)) await recipe(sources, need, folder, depth + 1, walk);
  const made = body.map((line) => line.replace(/^\s*(?:- (?:cmd: )?)?[@+-]*/, "")).join("\n");
  await follow(made.replace(/\$\(MAKE\)|\$\{MAKE\}/g, "make"), folder, depth + 1, walk);
}

/** Without comments, empty lines and layout: a change of those changes no outcome. */
const bare = (text: string): string =>
  text
    .split("\n")
    .map((line) =>
      line
        .replace(/(?:^|\s)#(?!!).*$/, "")
        .trim()
        .replace(/\s+/g, " "),
    )
    .filter((line) => line !== "")
    .join("\n");

/** "a/b" and "../c" → "a/c". Without a leading "./". */
export function joined(folder: string, path: string): string {
  const parts: string[] = [];
  for (const part of `${path.startsWith("/") ? "" : `${folder}/`}${path}`.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts.join("/");
}

/** The words of each simple command of a line or script. No shell is needed to find the names of files. */
function commandsIn(script: string): string[][] {
  const commands: string[][] = [[]];
  for (const [token] of script
    .replaceAll("\\\n", " ")
    .matchAll(/"(?:[^"\\]|\\.)*"|'[^']*'|[;&|\n(){}]+|[^\s;&|\n(){}"']+/g)) {
    if (/^[;&|\n(){}]/.test(token)) commands.push([]);
    else commands.at(-1)?.push(token.replace(/^(["'])(.*)\1$/s, "$2"));
  }
  return commands.filter((words) => words.length > 0);
}
