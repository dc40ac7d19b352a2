/** A diff as people at a page, or with an exported file, may see it: without known secrets, and without files that a rule closes. */
import { homedir } from "node:os";
import { resolve } from "node:path";
import { closedSearch } from "../../core/paths/closed-files.ts";
import { relativeTo } from "../../core/paths/paths.ts";
import { closedPatterns, rulesOf } from "../../core/permission/permission.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { filesIn } from "../../core/text/diff.ts";

export type ShowDiff = (diff: string, prefix: string) => string;

/** Also that which a file had before it was renamed. */
const pathsOf = (part: string): string[] => [
  ...filesIn(part).map(({ path }) => path),
  ...[...part.matchAll(/^(?:--- a\/|rename from |copy from )(.+)$/gm)].map(([, path = ""]) => path),
];

/** `prefix`: of the project in its repository, whose paths the diff has, such as `packages/a/`. Of a closed file its name is left. */
export function diffShower(
  settings: Pick<Settings, "allow" | "ask" | "deny">,
  cwd: string,
  redact: (text: string) => string,
): ShowDiff {
  const closed = closedPatterns(rulesOf(settings)).read.map((match) => closedSearch(match, cwd, homedir()));
  return (diff, prefix) => {
    const top = resolve(cwd, "../".repeat(prefix.split("/").length - 1));
    const isClosed = (path: string): boolean => {
      const whole = resolve(top, path);
      const parts = relativeTo(cwd, whole).split("/");
      const around = parts.map((_, nth) => parts.slice(0, nth).join("/")).filter((one) => one !== "");
      return closed.some(
        (one) =>
          one.covers(parts.join("/"), false) ||
          one.covers(whole, false) ||
          around.some((folder) => one.covers(folder, true)),
      );
    };
    const kept = diff
      .split(/^(?=diff --git )/m)
      .map((part) => (pathsOf(part).some(isClosed) ? part.slice(0, part.indexOf("\n") + 1) : part));
    return redact(kept.join(""));
  };
}
