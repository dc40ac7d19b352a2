/** Searches file contents. */
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { z } from "zod";
import { badInput, notFound } from "../../core/errors.ts";
import { quote } from "../../core/ids.ts";
import { cutEnd } from "../../core/text/valid.ts";
import type { ToolContext } from "../../ports/index.ts";
import { defineTool } from "../define.ts";
import { maybe, text, whole } from "../inputs.ts";
import { nearby } from "./look-alike.ts";
import { NUL, ripgrep } from "./ripgrep.ts";
import { checkPattern, placeOf } from "./workspace.ts";

const LINES = 150;
const LINE_CHARS = 300;

export const grep = defineTool({
  name: "grep",
  description: "Search files by regular expression.",
  input: () =>
    z.strictObject({
      pattern: text,
      path: maybe.text,
      glob: maybe.text,
      files_only: maybe.flag,
      ignore_case: maybe.flag,
      context: whole
        .refine((lines) => lines >= 0 && lines <= 20, "expected 0 to 20 lines")
        .optional()
        .meta({ type: "integer" }),
    }),
  access: "read",
  subject: ({ pattern, path }) => (path === undefined ? pattern : `${pattern} in ${path}`),
  reads: ({ path = "." }) => [path],
  async run(input, ctx) {
    if (input.pattern === "") throw badInput("The pattern is empty. Give a regular expression.");
    if (input.glob !== undefined) checkPattern(input.glob.replace(/^!/, ""), ctx);
    const { real, shown } = await placeOf(input.path ?? ".", ctx, "read");
    const about = await stat(real).catch(() => null);
    if (!about) throw notFound(`There is no file or folder ${shown}.${await nearby({ real, shown })}`);
    // ripgrep would wait for what a pipe says.
    if (!about.isFile() && !about.isDirectory())
      throw badInput(`${shown} is not a regular file but a device, pipe or socket.`);
    const query: Query = { ...input, shown, place: real };
    return bounded(await search(query, ctx), query);
  },
});

type Query = {
  readonly pattern: string;
  readonly glob?: string | undefined;
  readonly files_only?: boolean | undefined;
  readonly ignore_case?: boolean | undefined;
  readonly context?: number | undefined;
  readonly shown: string;
  readonly place: string;
};

function bounded(lines: readonly string[], { pattern, shown }: Query): string {
  if (lines.length === 0) return `Nothing in ${shown} matches ${quote(pattern)}.`;
  const cut = lines
    .slice(0, LINES)
    .map((line) => (line.length > LINE_CHARS + 200 ? `${cutEnd(line, LINE_CHARS + 200)} […]` : line));
  if (lines.length > LINES)
    cut.push(`[${lines.length - LINES} more lines; narrow the pattern, path or glob, or set files_only]`);
  return cut.join("\n");
}

async function search(query: Query, ctx: ToolContext): Promise<string[]> {
  const args = ["--color=never", "--no-heading", "--with-filename", "--sort=path"];
  // A name that ends in NUL can be told from what follows it, whatever characters it has.
  if (ctx.closed) args.push("--null");
  if (query.files_only) args.push("--files-with-matches");
  else args.push("--line-number", `--max-columns=${LINE_CHARS}`, "--max-columns-preview");
  if (query.ignore_case) args.push("--ignore-case");
  if (query.context && !query.files_only) args.push(`--context=${query.context}`);
  if (query.glob !== undefined) args.push(...spellings(query.glob).map((glob) => `--glob=${glob}`));
  // ripgrep searches a path that is named even when it is hidden or ignored.
  args.push("--regexp", query.pattern, "--", query.shown === "." ? "./" : query.shown);
  const result = await ripgrep(args, ctx, { place: query.place, keepBytes: 400_000 });
  const lines = openOnly(result.output, query, ctx)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.replace(/^\.\//, ""));
  if (result.exitCode === 2 && lines.every((line) => line.startsWith("rg:") || !/^\S+:\d+:/.test(line))) {
    throw badInput(
      `${cutEnd(lines.join(" "), 500)}. The pattern is a regular expression; escape what is meant literally.`,
    );
  }
  return lines;
}

/** A pattern with brackets also means the file or folder with that name. */
const spellings = (glob: string): readonly string[] =>
  /(?<!\\)[[{]/.test(glob) ? [glob, glob.replace(/(?<!\\)[[\]{}]/g, "\\$&")] : [glob];

/** Drops the lines of files that a rule keeps closed, and gives the others the form that they have without `--null`. */
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
