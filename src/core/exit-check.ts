/**
 * The check at the exit: a task whose files were changed is not completed before something was run since the last change. A member is
 * asked once in each attempt. Its second call is accepted, because it may know that nothing can be run.
 */

import { headAndTail } from "./conversation/compaction.ts";
import { escapeTags } from "./conversation/tags.ts";
import type { Access } from "./permission/permission.ts";
import type { Claimed } from "./task.ts";

const FILES_SHOWN = 8;
const WORDS_MAX = 2_000;

type Words = Pick<Claimed, "id" | "attempt" | "subject" | "description">;

export class ExitCheck {
  private readonly changed = new Set<string>();
  private asked = "";

  /** A call that succeeded. `files`: those that it wrote. A command that only reads proves nothing. */
  observe(access: Access, files: readonly string[]): void {
    if (access === "exec") this.changed.clear();
    else if (access === "write") for (const file of files) this.changed.add(file);
  }

  /** An earlier process asked. `text`: a result of its. */
  recall(text: string): void {
    this.asked = ASKED.exec(text)?.[1] ?? this.asked;
  }

  /** Why the task is not completed yet; null when it is. The same question is never asked twice. */
  question(task: Words): string | null {
    const attempt = `${task.id}.${task.attempt}`;
    if (this.changed.size === 0 || this.asked === attempt) return null;
    this.asked = attempt;
    const files = [...this.changed];
    const more = files.length > FILES_SHOWN ? ` and ${files.length - FILES_SHOWN} more` : "";
    return [
      `Not completed yet [check ${attempt}]: nothing was run since you changed ${files.slice(0, FILES_SHOWN).join(", ")}${more}.`,
      `The words of the task:\n${escapeTags(headAndTail(`${task.subject}\n${task.description}`.trim(), WORDS_MAX, "get_task has the rest"))}`,
      "Run what proves it (the tests, the build, the program) and compare the result with these words. Then complete it again. If nothing can be run, complete it again and say so in the result.",
    ].join("\n");
  }
}

const ASKED = /^Not completed yet \[check (\d+\.\d+)\]/;
