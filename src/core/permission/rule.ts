/** Permission rules: data in settings, and text on a command line, `bash(git status*)`. */
import { EkidenError } from "../errors.ts";
import { quote } from "../ids.ts";
import { didYouMean } from "../nearest.ts";
import { pathPattern, relativeTo, resolvePath, textPattern } from "../paths.ts";
import { ourName, TOOL_NAMES } from "../tool-names.ts";

export type Effect = "allow" | "ask" | "deny";

export type Rule = {
  readonly effect: Effect;
  /** A tool's name; `*` stands for anything in it. */
  readonly tool: string;
  /** Which calls of the tool: a pattern over the command, the path, or whatever is the subject of a call. All of them without it. */
  readonly match?: string;
};

/**
 * Reads a rule as people type it: `bash(git status*)`, `write_file(src/**)`, `bash`, `mcp__files__*`; `Bash(…)` and `Read(…)` are
 * ours too.
 * @throws EkidenError `bad_input`
 */
export function parseRule(effect: Effect, text: string): Rule {
  const [, tool, match] = /^\s*([\w*.-]+)\s*(?:\((.*)\))?\s*$/s.exec(text) ?? [];
  if (tool === undefined)
    throw new EkidenError(
      "bad_input",
      `${quote(text)} is not a permission rule. Write a tool and, in brackets, a pattern: bash(git status*), write_file(src/**), bash.`,
    );
  const all = match === undefined || /^\**$/.test(match.trim());
  const ours = ourName(tool);
  checkTool(ours, text);
  return all ? { effect, tool: ours } : { effect, tool: ours, match: match.trim() };
}

/** A rule about a tool that there is not would never be heard of again: a typing error in a `deny` must not pass for one. */
function checkTool(tool: string, text: string): void {
  if (tool.startsWith("mcp__") || TOOL_NAMES.some((name) => textPattern(tool).test(name))) return;
  if (tool.includes("*") && textPattern(tool).test("mcp__")) return;
  throw new EkidenError(
    "bad_input",
    `the permission rule ${quote(text)} speaks of a tool that there is not.${didYouMean(tool, TOOL_NAMES)} The tools: ${[...TOOL_NAMES].sort().join(", ")}, and mcp__SERVER__TOOL.`,
  );
}

export const showRule = ({ tool, match }: Rule): string => (match === undefined ? tool : `${tool}(${match})`);

/** Also `mcp__files`, for all tools of a server. */
export const concerns = (rule: Rule, tool: string): boolean =>
  rule.tool === tool ||
  textPattern(rule.tool).test(tool) ||
  (/^mcp__(?:(?!__).)+$/.test(rule.tool) && tool.startsWith(`${rule.tool}__`));

/** Whether a rule's pattern fits a text that is no path. */
export const fitsText = (rule: Rule, text: string): boolean =>
  rule.match === undefined || rule.match === text || textPattern(rule.match).test(text);

/** Whether a rule's pattern fits a path. Relative patterns begin at the workspace, `~/` at home. */
export function fitsPath(rule: Rule, path: string, workspace: string, home: string | undefined): boolean {
  if (rule.match === undefined) return true;
  const full = resolvePath(workspace, path);
  const pattern = rule.match.replace(/^~(?=\/)/, home ?? "~").replace(/^(?:\.\/)+/, "");
  const shown = pattern.startsWith("/") ? full : relativeTo(workspace, full);
  return pathPattern(pattern).test(shown) || pathPattern(pattern).test(`${shown}/`);
}
