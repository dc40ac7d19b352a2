/** Calls that may have reached other programs or machines: no record of files can take that back, so the person is told. */
import { instant } from "../../../core/ids.ts";
import type { Change } from "../../../core/undo/change.ts";
import type { Store } from "../../../ports/index.ts";

const REACHES =
  /\bgit\s+(?:\S+\s+)*?push\b|\b(?:curl|wget|ssh|scp|rsync|psql|mysql|sqlite3|redis-cli|mongosh?|docker|podman|kubectl|helm|terraform|gh|glab|aws|gcloud|az)\b|\b(?:npm|yarn|pnpm|cargo)\s+publish\b|\btwine\s+upload\b/;

/** Of the same members, from the beginning of the first change to the end of the last one. */
export async function outsideCalls({ journal, forks }: Store, changes: readonly Change[]): Promise<string[]> {
  const from = Math.min(...changes.map(({ began }) => began));
  const to = Math.max(...changes.map(({ at }) => at));
  const whose = new Set(changes.map(({ who }) => who));
  const found: string[] = [];
  // The point is the last fact by then.
  const { seq } = await forks.point({ at: instant(from) }).catch(() => ({ seq: 0 }));
  for await (const { events } of journal.pages(journal.from(seq), ["tool.called"]))
    for (const event of events)
      if (
        event.type === "tool.called" &&
        whose.has(event.who) &&
        event.at >= from &&
        event.at - event.ms <= to &&
        REACHES.test(event.subject)
      )
        found.push(event.subject);
  return [...new Set(found)];
}
