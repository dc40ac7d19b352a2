/** The commit of the branch that tasks land on, which every waiting landing looks at many times a second: read from git's file where there is one. */
import { join } from "node:path";
import { EkidenError } from "../../core/errors.ts";
import { textIn } from "../small-files.ts";
import type { Git } from "./git.ts";

/** How long an answer of git itself is used: packed branches and the reftable format have no file. */
const KEEP_MS = 300;

export class TargetTip {
  private readonly where: {
    readonly git: Git;
    readonly root: string;
    readonly commonDir: string;
    /** The full name of the branch. */
    readonly ref: string;
  };
  private asked = { tip: "", at: Number.NEGATIVE_INFINITY };

  constructor(where: TargetTip["where"]) {
    this.where = where;
  }

  async read(): Promise<string> {
    const commit = textIn(join(this.where.commonDir, this.where.ref)).trim();
    if (/^[0-9a-f]{40,64}$/.test(commit)) return commit;
    if (Date.now() - this.asked.at > KEEP_MS) await this.ask();
    return this.asked.tip;
  }

  /** From git. @throws EkidenError `tool_failed` */
  async ask(): Promise<string> {
    const { git, root, ref } = this.where;
    const tip = await git.tip(root, ref);
    if (tip === null)
      throw new EkidenError(
        "tool_failed",
        `${ref}, on which tasks land, is gone. A person must make it again (git reflog shows its commits), or set targetBranch.`,
      );
    this.asked = { tip, at: Date.now() };
    return tip;
  }
}
