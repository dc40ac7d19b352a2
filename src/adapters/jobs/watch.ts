/** Notices commands that print nothing for long: one that waits for input, or a server that is no longer needed. */
import {
  type Job,
  looksLikePrompt,
  promptText,
  SILENT_MS,
  STALE_MS,
  silentText,
} from "../../core/board/job.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Jobs } from "../../ports/jobs.ts";
import { sizeOf, tailOf } from "../tail.ts";

const LOOK_MS = 15_000;

/** Runs until `over`. Mails the owner at most once about each. Never rejects. */
export async function watchSilence(job: Job, jobs: Jobs, clock: Clock, over: AbortSignal): Promise<void> {
  let size = 0;
  let since = clock.now();
  let asked = false;
  for (;;) {
    await clock.sleep(LOOK_MS, over);
    if (over.aborted) return;
    try {
      const now = await sizeOf(job.outputPath);
      if (now !== size) {
        size = now;
        since = clock.now();
        continue;
      }
      const silence = clock.now() - since;
      if (silence >= STALE_MS) {
        await jobs.note(job.id, silentText(job));
        return;
      }
      if (asked || silence < SILENT_MS) continue;
      const tail = await tailOf(job.outputPath, 1_000);
      if (!looksLikePrompt(tail)) continue;
      asked = await jobs.note(job.id, promptText(job, tail));
    } catch {
      // a store or a disk that fails now may work at the next look
    }
  }
}
