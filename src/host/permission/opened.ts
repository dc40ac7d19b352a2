/** The paths outside of the workspace that allow rules open for commands. */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { spelledPath } from "../../core/paths/path-pattern.ts";
import { isAbout, type Rule } from "../../core/permission/rule.ts";

/** Those for this use: absolute, or from home, with nothing variable but a last `/**`. */
export const openedBy = (rules: readonly Rule[], use: "read" | "write"): string[] =>
  rules.flatMap(({ effect, tool, match = "" }) => {
    const path = spelledPath(match.replace(/^~(?=\/)/, homedir()).replace(/\/\*\*$/, ""));
    if (effect !== "allow" || path === null || !/^\/./.test(path)) return [];
    return isAbout({ effect, tool }, use) && existsSync(path) ? [path] : [];
  });
