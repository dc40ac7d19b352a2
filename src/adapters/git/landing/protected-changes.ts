/** A branch that changes protected files lands only where the person or a rule agreed to them, by whatever commit it has them. */

import { join, relative } from "node:path";
import { isWithin } from "../../../core/paths/paths.ts";
import { readOnlyName } from "../../../core/paths/protected-names.ts";
import { listed } from "../../../core/text/listed.ts";
import type { LandingInput } from "./landing-job.ts";

/** Whether a rule lets members change a protected file, which is relative to the workspace. */
export type ByRule = (path: string, workspace: string) => boolean;

/** The protected files that members of this process may change. */
export class AgreedFiles {
  private readonly folder: string;
  private readonly byRule: ByRule;
  private readonly accepted = new Set<string>();

  /** `folder`: that of the worktrees. */
  constructor(folder: string, byRule: ByRule = () => false) {
    this.folder = folder;
    this.byRule = byRule;
  }

  /** A file tool was allowed to write it; absolute. */
  accept(path: string): void {
    if (isWithin(this.folder, path)) this.accepted.add(path);
  }

  has(path: string, workspace: string): boolean {
    return this.accepted.has(path) || this.byRule(relative(workspace, path), workspace);
  }
}

/** The reason why a branch with changes of these files cannot land; null when it can. Paths are relative to the top of the worktree. */
export function protectedFault(
  { work: { root, onto }, workspace, agreed }: LandingInput,
  paths: readonly string[],
): string | null {
  const closed = paths.filter((path) => {
    const full = join(root, path);
    const parts = path.split("/");
    const isProtected = parts.some((_, nth) => readOnlyName(parts.slice(nth).join("/")) !== undefined);
    return isProtected && !agreed.has(full, workspace);
  });
  if (closed.length === 0) return null;
  const what = closed.length === 1 ? "is a protected file" : "are protected files";
  return `${listed(closed)} ${what} and can decide what runs later, and nobody agreed to the change that the branch brings. Take it out of the branch (git diff ${onto}... shows it), or write the file with write_file, which asks the person, and complete the task again. Otherwise tell the person, who can merge the branch by hand or allow the file by a rule: write_file(${closed[0]}).`;
}
