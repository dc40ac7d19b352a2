/** Searches file contents with ripgrep. Without ripgrep it searches itself, which is slower. */
import { readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { z } from "zod";
import { EkidenError, isEkidenError } from "../core/errors.ts";
import { quote } from "../core/ids.ts";
import { pathPattern } from "../core/paths.ts";
import type { ToolContext } from "../ports/index.ts";
import { defineTool } from "./define.ts";
import { maybe, text } from "./inputs.ts";
import { walk } from "./walk.ts";
import { checkPattern, placeOf } from "./workspace.ts";

const LINES = 150;
const LINE_CHARS = 300;
const TIMEOUT_MS = 30_000;
/** The search without ripgrep leaves out larger files. */
const FILE_MAX = 4 * 1024 * 1024;

export const grep = defineTool({
  name: "grep",
  description: "Search files by regular expression.",
  input: () =>
    z.object({
      pattern: text,
      path: maybe.text,
      glob: maybe.text,
      files_only: maybe.flag,
      ignore_case: maybe.flag,
      context: z.coerce
        .number()
        .int()
        .min(0)
        .max(20)
        .optional()
        .meta({ type: "integer", minimum: undefined, maximum: undefined })
        .describe("lines around"),
    }),
  access: "read",
  subject: ({ pattern, path }) => (path === undefined ? pattern : `${pattern} in ${path}`),
  async run(input, ctx) {
    if (input.pattern === "")
      throw new EkidenError("bad_input", "The pattern is empty. Give a regular expression.");
    if (input.glob !== undefined) checkPattern(input.glob.replace(/^!/, ""), ctx);
    const { real, shown } = await placeOf(input.path ?? ".", ctx, "read");
    const about = await stat(real).catch(() => null);
    if (!about) throw new EkidenError("not_found", `There is no file or folder ${shown}.`);
    const query: Query = { ...input, real, shown, isFolder: about.isDirectory() };
    const found = await ripgrep(query, ctx).catch((error: unknown) => {
      if (isEkidenError(error, "tool_failed") && error.details.missing === true) return search(query, ctx);
      throw error;
    });
    return bounded(found, query);
  },
});

type Query = {
  readonly pattern: string;
  readonly glob?: string | undefined;
  readonly files_only?: boolean | undefined;
  readonly ignore_case?: boolean | undefined;
  readonly context?: number | undefined;
  readonly real: string;
  readonly shown: string;
  readonly isFolder: boolean;
};

function bounded(lines: readonly string[], { pattern, shown }: Query): string {
  if (lines.length === 0) return `Nothing in ${shown} matches ${quote(pattern)}.`;
  const cut = lines
    .slice(0, LINES)
    .map((line) => (line.length > LINE_CHARS + 200 ? `${line.slice(0, LINE_CHARS + 200)} […]` : line));
  if (lines.length > LINES)
    cut.push(`[${lines.length - LINES} more lines; narrow the pattern, path or glob, or set files_only]`);
  return cut.join("\n");
}

async function ripgrep(query: Query, ctx: ToolContext): Promise<string[]> {
  const args = [
    "--no-config",
    "--color=never",
    "--no-heading",
    "--with-filename",
    "--hidden",
    "--glob=!.git",
    "--sort=path",
    "--no-require-git",
  ];
  // a name ends in NUL, which separates it from the text whatever characters it has
  if (ctx.closed) args.push("--null");
  if (query.files_only) args.push("--files-with-matches");
  else args.push("--line-number", `--max-columns=${LINE_CHARS}`, "--max-columns-preview");
  if (query.ignore_case) args.push("--ignore-case");
  if (query.context && !query.files_only) args.push(`--context=${query.context}`);
  if (query.glob !== undefined) args.push(`--glob=${query.glob}`);
  // A named path is searched even when it is hidden or ignored. Without one it is the workspace.
  args.push("--regexp", query.pattern, "--", query.shown === "." ? "./" : query.shown);
  const options = { cwd: ctx.workspace, signal: ctx.signal, timeoutMs: TIMEOUT_MS, keepBytes: 400_000 };
  const result = await ctx.shell.exec("rg", args, options);
  if (result.timedOut)
    throw new EkidenError(
      "tool_failed",
      `The search took longer than ${TIMEOUT_MS / 1000} s. Narrow the path or the glob.`,
    );
  const lines = openOnly(result.output, query, ctx)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.replace(/^\.\//, ""));
  if (result.exitCode === 2 && lines.every((line) => line.startsWith("rg:") || !/^\S+:\d+:/.test(line))) {
    throw new EkidenError(
      "bad_input",
      `${lines.join(" ").slice(0, 500)}. The pattern is a regular expression: escape literal characters.`,
    );
  }
  return lines;
}

/** The shell shows a NUL byte like this. */
const NUL = "\u2400";

/** Leaves out the files that stay closed. A name ends in NUL here; the result looks as without `--null`. */
function openOnly(output: string, { files_only }: Query, { closed, workspace }: ToolContext): string {
  if (!closed) return output;
  const isOpen = (name: string): boolean => closed("read", resolve(workspace, name)) === null;
  if (files_only) return output.split(NUL).filter(isOpen).join("\n");
  return output
    .split("\n")
    .flatMap((line) => {
      const [name = "", ...rest] = line.split(NUL);
      if (rest.length === 0) return [line];
      const text = rest.join(NUL);
      return isOpen(name) ? [`${name}${/^\d+-/.test(text) ? "-" : ":"}${text}`] : [];
    })
    .filter((line, i, all) => line !== "--" || (i > 0 && i < all.length - 1 && all[i - 1] !== "--"))
    .join("\n");
}

/** The same without ripgrep. */
async function search(query: Query, ctx: ToolContext): Promise<string[]> {
  const expression = compile(query);
  const wanted =
    query.glob === undefined ? null : pathPattern(query.glob.includes("/") ? query.glob : `**/${query.glob}`);
  const files = query.isFolder ? walk(query.real, ctx.workspace, ctx.signal) : [""];
  const out: string[] = [];
  for await (const file of files) {
    if (wanted && !wanted.test(file)) continue;
    if (ctx.closed?.("read", join(query.real, file))) continue;
    const text = await textOf(join(query.real, file));
    if (text === null || !expression.test(text)) continue;
    const name = [query.shown === "." ? "" : query.shown, file].filter((part) => part !== "").join("/");
    if (query.files_only) out.push(name);
    else out.push(...matchingLines(text, expression, query.context ?? 0, name));
    if (out.length > LINES * 10) break;
  }
  return out;
}

function compile({ pattern, ignore_case }: Query): RegExp {
  try {
    return new RegExp(pattern, ignore_case ? "im" : "m");
  } catch (error) {
    throw new EkidenError(
      "bad_input",
      `${error instanceof Error ? error.message : String(error)}. Escape literal characters.`,
    );
  }
}

async function textOf(path: string): Promise<string | null> {
  const about = await stat(path).catch(() => null);
  if (!about?.isFile() || about.size > FILE_MAX) return null;
  const bytes = await readFile(path).catch(() => null);
  return bytes === null || bytes.subarray(0, 8_000).includes(0) ? null : bytes.toString("utf8");
}

function matchingLines(text: string, expression: RegExp, context: number, name: string): string[] {
  const lines = text.split(/\r?\n/);
  const out: string[] = [];
  let shownTo = -1;
  for (const [at, line] of lines.entries()) {
    if (!expression.test(line)) continue;
    const from = Math.max(at - context, shownTo + 1);
    const to = Math.min(at + context, lines.length - 1);
    if (context > 0 && shownTo !== -1 && from > shownTo + 1) out.push("--");
    for (let i = Math.min(from, at); i <= to; i += 1) {
      if (i <= shownTo) continue;
      const match = expression.test(lines[i] ?? "");
      out.push(match ? `${name}:${i + 1}:${lines[i]}` : `${name}-${i + 1}-${lines[i]}`);
    }
    shownTo = Math.max(shownTo, to);
  }
  return out;
}
