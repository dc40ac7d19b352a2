/**
 * Commands and MCP servers whose Ekiden process was killed, or lost its lease while it was frozen: their task will be done again, so
 * they may not continue beside it.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "../clock.ts";
import { livesAs, OWN_IDENTITY } from "../process-identity.ts";
import { endAll, processesOf } from "../process-table.ts";
import { namesIn, textIn } from "../small-files.ts";

const GRACE_MS = 1_000;
/** A warden only sends signals. */
const WARDEN_MS = 5_000;
/** "IDENTITY.SCOPE-RANDOM.N;", and in front of it the jobs that it runs inside of. */
const JOB = /EKIDEN_JOB=(?:[^\0]*:)?(([0-9a-f]+\.\d+\.\d+)\.([0-9a-z]*)-[0-9a-f]+\.\d+;)\0/;
const WARDEN = /EKIDEN_WARDEN=(([0-9a-f]+\.\d+\.\d+)\.([0-9a-z]*)-[0-9a-f]+;)\0/;

/**
 * Ends what dead processes of this machine left of the team that `scope` names, and waits for their wardens, which end also children
 * without our tag. `lost`: identities of other processes whose commands must end, although they live. Needs /proc: elsewhere it finds
 * none.
 */
export async function endOrphans(scope: string, lost: ReadonlySet<string> = new Set()): Promise<void> {
  const tags = new Set<string>();
  const wardens = new Set<string>();
  const isOver = (identity: string): boolean =>
    isDead(identity) || (lost.has(identity) && identity !== OWN_IDENTITY);
  for (const entry of namesIn("/proc")) {
    // Empty for a process that has ended in between, or is somebody else's.
    const environ = /^\d+$/.test(entry) ? textIn(`/proc/${entry}/environ`, "latin1") : "";
    // The warden of a living process lives as long.
    const warden = left(WARDEN, environ, scope, isDead);
    if (warden !== undefined) wardens.add(warden);
    const tag = left(JOB, environ, scope, isOver);
    if (tag !== undefined) tags.add(tag);
  }
  await Promise.all([...[...tags].map((tag) => endAll(tag, GRACE_MS)), ...[...wardens].map(ended)]);
}

/** A process of another container or namespace cannot be seen and may live. */
const isDead = (identity: string): boolean => livesAs(identity) === false;

/** The tag of a process of the team that is over. */
function left(
  form: RegExp,
  environ: string,
  scope: string,
  isOver: (identity: string) => boolean,
): string | undefined {
  const [, tag, identity = "", of] = form.exec(environ) ?? [];
  return of === scope && isOver(identity) ? tag : undefined;
}

async function ended(warden: string): Promise<void> {
  const until = systemClock.uptime() + WARDEN_MS;
  while (systemClock.uptime() < until && processesOf(warden).length > 0) await sleep(20);
}
