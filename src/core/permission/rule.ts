/** Permission rules: data in settings, and text on a command line, `bash(git status*)`. */
import { EkidenError } from "../errors.ts";
import { quote } from "../ids.ts";
import { pathPattern, relativeTo, resolvePath, textPattern } from "../paths.ts";

export type Effect = "allow" | "ask" | "deny";

export type Rule = {
  readonly effect: Effect;
  /** A tool's name; `*` stands for anything in it. */
  readonly tool: string;
  /** Which calls of the tool: a pattern over the command, the path, or whatever is the subject of a call. All of them without it. */
  readonly match?: string;
};

/**
 * Reads a rule as people type it: `bash(git status*)`, `write_file(src/**)`, `bash`, `mcp__files__*`.
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
  return all ? { effect, tool } : { effect, tool, match: match.trim() };
}

export const showRule = ({ tool, match }: Rule): string => (match === undefined ? tool : `${tool}(${match})`);

export const concerns = (rule: Rule, tool: string): boolean =>
  rule.tool === tool || textPattern(rule.tool).test(tool);

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
