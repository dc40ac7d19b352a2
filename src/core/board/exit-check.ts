/**
 * The check at the exit: a task whose files were changed is not completed before something was run since the last change. The same
 * call made again is accepted, because a member may know that nothing can be run. One that ran something, and then changed files again,
 * is asked a second time; never a third time in one attempt.
 */

import { escapeTags } from "../conversation/tags.ts";
import type { Access } from "../permission/permission.ts";
import { listed } from "../text/listed.ts";
import { headAndTail } from "../text/valid.ts";
import type { Claimed } from "./task.ts";

const FILES_SHOWN = 8;
const WORDS_MAX = 2_000;
const TIMES_MAX = 2;

type Words = Pick<Claimed, "id" | "attempt" | "subject" | "description">;

export class ExitCheck {
  private readonly changed = new Set<string>();
  private asked = "";
  private times = 0;
  /** Something was run since the last question. */
  private ran = false;

  /** A call that succeeded. `files`: those that it wrote. A command that only reads proves nothing. */
  observe(access: Access, files: readonly string[]): void {
    if (access === "exec") {
      this.changed.clear();
      this.ran = true;
    } else if (access === "write") for (const file of files) this.changed.add(file);
  }

  /** An earlier process asked. `text`: a result of its. */
  recall(text: string): void {
    const attempt = ASKED.exec(text)?.[1];
    if (attempt !== undefined) this.count(attempt);
  }

  private count(attempt: string): void {
    this.times = attempt === this.asked ? this.times + 1 : 1;
    this.asked = attempt;
    this.ran = false;
  }

  /** The reason why the task is not completed yet; null when it is. */
  question(task: Words): string | null {
    const attempt = `${task.id}.${task.attempt}`;
    if (this.changed.size === 0) return null;
    if (this.asked === attempt && (!this.ran || this.times >= TIMES_MAX)) return null;
    this.count(attempt);
    const files = [...this.changed];
    return [
      `Not completed yet [check ${attempt}]: nothing was run since you changed ${listed(files, FILES_SHOWN)}.`,
      `The words of the task:\n${escapeTags(headAndTail(`${task.subject}\n${task.description}`.trim(), WORDS_MAX, "get_task has the rest"))}`,
      "Run what proves it (the tests, the build, the program) and compare the result with these words. Then complete it again. If nothing can be run, complete it again and say so in the result.",
    ].join("\n");
  }
}

const ASKED = /^Not completed yet \[check (\d+\.\d+)\]/;
