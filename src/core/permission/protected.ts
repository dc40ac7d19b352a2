/** Writing a file that decides what runs later is asked about in every mode, unless an allow rule names it. */
import { isWithin, relativeTo } from "../paths/paths.ts";
import { PROTECTED_ENDS, PROTECTED_NAMES, readOnlyName } from "../paths/protected-names.ts";
import { fitsPath, isAbout, type Rule } from "./rule.ts";

const NAMES: ReadonlySet<string> = new Set(PROTECTED_NAMES.map((name) => name.toLowerCase()));

/** Characters that some file systems ignore in names. */
const IGNORED = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

/** The protected name in a path, or null. Case is folded and a trailing dot, blank or stream removed, as some file systems do. */
export function protectedPart(path: string, workspace: string): string | null {
  const own = `${workspace}/.ekiden/worktrees`;
  // The work tree of a task is a project of its own.
  const shown = isWithin(own, path)
    ? path.slice(own.length).replace(/^\/[^/]+/, "")
    : relativeTo(workspace, path);
  for (const part of shown.split("/")) {
    const name = part
      .normalize("NFKC")
      .replace(IGNORED, "")
      .toLowerCase()
      .replace(/:.*$|[. ]+$/g, "");
    if (NAMES.has(name) || PROTECTED_ENDS.test(name) || /^git~\d$/.test(name)) return part;
  }
  return null;
}

/** Whether an allow rule was meant for this file: it names the protected part and does not merely span it. */
export const namesProtected = ({ effect, match = "" }: Rule, part: string): boolean =>
  effect === "allow" && match.split("/").includes(part);

/** Whether the rules let members change this protected file, which is relative to their workspace. */
export function mayChangeProtected(rules: readonly Rule[], path: string, workspace: string): boolean {
  const fitting = rules.filter(
    (rule) => isAbout(rule, "write") && fitsPath(rule, path, workspace, undefined),
  );
  const parts = [
    ...(readOnlyName(path) ?? path).split("/"),
    protectedPart(`${workspace}/${path}`, workspace),
  ];
  return (
    fitting.every(({ effect }) => effect === "allow") &&
    fitting.some((rule) => parts.some((part) => part !== null && namesProtected(rule, part)))
  );
}
