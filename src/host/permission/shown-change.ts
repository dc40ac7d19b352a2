/** The change that an edit would make, as people read it. */
import type { FileChange } from "../../ports/index.ts";

const DIFF_MS = 1_000;
const SHOWN_MAX = 40_000;

/** A unified diff. A longer one is cut, and says how much is left out. */
export async function shownChange({ path, before, after }: FileChange): Promise<string> {
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import("diff");
  const patch = createTwoFilesPatch(before === null ? "/dev/null" : path, path, before ?? "", after, "", "", {
    context: 3,
    timeout: DIFF_MS,
    headerOptions: FILE_HEADERS_ONLY,
  });
  const whole =
    patch ?? `--- ${path}\n+++ ${path}\nThe files differ too much for a comparison. The new text:\n${after}`;
  if (whole.length <= SHOWN_MAX) return whole.trimEnd();
  const shown = whole.slice(0, whole.lastIndexOf("\n", SHOWN_MAX) + 1 || SHOWN_MAX);
  const left = whole.slice(shown.length).split("\n").length;
  return `${shown}[… ${left} more lines; the transcript of the member has the whole call]`;
}
