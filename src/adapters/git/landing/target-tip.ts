/** The commit of the branch that tasks land on, which every waiting landing looks at many times a second: read from git's file where there is one. */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { toolFailed } from "../../../core/errors.ts";
import { textIn } from "../../small-files.ts";
import type { Git } from "../git.ts";

/** From git's own file, without a process; null where a branch has none. `ref`: its full name. */
export function looseTip(commonDir: string, ref: string): string | null {
  const commit = textIn(join(commonDir, ref)).trim();
  return /^[0-9a-f]{40,64}$/.test(commit) ? commit : null;
}

/** The same where git is asked otherwise. @throws EkidenError `tool_failed` for a branch that is not there */
export async function tipOf(
  { git, commonDir, root }: { readonly git: Git; readonly commonDir: string; readonly root: string },
  ref: string,
): Promise<string> {
  return looseTip(commonDir, ref) ?? (await git.run(root, "rev-parse", ref));
}

/** The time for which an answer of git itself is used: packed branches and the reftable format have no file. */
const KEEP_MS = 300;
/** The time to wait for a branch that is gone. */
const GONE_MS = 15_000;
const AGAIN_MS = 250;

export class TargetTip {
  private readonly where: {
    readonly git: Git;
    /** Git is asked there: somebody may remove its notes about a worktree. */
    readonly project: string;
    readonly commonDir: string;
    /** The full name of the branch. */
    readonly ref: string;
  };
  private asked = { tip: "", at: Number.NEGATIVE_INFINITY };

  constructor(where: TargetTip["where"]) {
    this.where = where;
  }

  /** `keepMs`: how old an answer of git may be. @throws EkidenError `tool_failed` */
  async read(keepMs = KEEP_MS): Promise<string> {
    const loose = looseTip(this.where.commonDir, this.where.ref);
    // Somebody may pack it next: an older answer of git would lead back to a commit that the branch had before.
    if (loose !== null) this.asked = { tip: loose, at: Date.now() };
    const isOld = loose === null && Date.now() - this.asked.at >= keepMs;
    return isOld ? await this.ask() : this.asked.tip;
  }

  /** From git. A branch that is missing for a moment is being made again. */
  private async ask(): Promise<string> {
    const { git, project, ref } = this.where;
    let tip = await git.tip(project, ref);
    for (let ms = 0; tip === null && ms < GONE_MS; ms += AGAIN_MS) {
      await delay(AGAIN_MS);
      tip = await git.tip(project, ref);
    }
    if (tip === null)
      throw toolFailed(
        `${ref}, on which tasks land, is gone. A person must make it again (git reflog shows its commits), or set targetBranch.`,
      );
    this.asked = { tip, at: Date.now() };
    return tip;
  }
}
