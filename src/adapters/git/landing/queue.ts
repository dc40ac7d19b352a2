/**
 * A lock across processes, first come, first served: one process at a time moves the target branch of a repository. Its files are
 * kept by repository, because several teams, stores and programs of a person may use one.
 *
 * Lamport's bakery algorithm: each process draws a number higher than all it sees and waits for the lower ones. No process takes
 * over another's ticket, so after a crash the only question is whether a process lives, and two cannot both be first.
 */

import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tried } from "../../../core/tried.ts";
import { livesAs, OWN_IDENTITY } from "../../process-identity.ts";
import { ownStateOf } from "../clones/own-state.ts";

const POLL_MS = 50;
/** A ticket of another machine that was not touched for this long belongs to a dead process. */
const SILENCE_MS = 120_000;
const TOUCH_MS = 20_000;
const AGAIN_MS = 500;

/** The identity of a process (process-identity.ts) and a random part: one use of it. */
export const TICKET = "[0-9a-f]+\\.\\d+\\.\\d+\\.[0-9a-f]+";
/** "00000012.TICKET": the number comes first. The number 0 is still being drawn. */
const FILE = new RegExp(`^(\\d{10})\\.(${TICKET})$`);

export const newTicket = (): string => `${OWN_IDENTITY}.${randomBytes(6).toString("hex")}`;

/** Whether the process that made the ticket lives. One that cannot be seen from here lives as long as it touches `file`. */
export function isTicketHeld(ticket: string, file: string): boolean {
  const lives = livesAs(ticket);
  if (lives !== null) return lives;
  const touched = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  return touched !== undefined && Date.now() - touched < SILENCE_MS;
}

type Ticket = { readonly number: number; readonly me: string };

/** The folder of the lock under which the target moves; `commonDir`: git's folder that all its worktrees share. */
export const queueIn = (commonDir: string): string => join(ownStateOf(commonDir), "queue");

/**
 * Runs `work` when every earlier process is done. Rejects with the signal's reason when it aborts while waiting.
 */
export async function inTurn<T>(folder: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  mkdirSync(folder, { recursive: true });
  const me = newTicket();
  const drawing = join(folder, fileOf(0, me));
  let mine = drawing;
  let touch: NodeJS.Timeout | undefined;
  try {
    writeFileSync(drawing, "");
    const number = 1 + Math.max(0, ...waiting(folder).map((ticket) => ticket.number));
    mine = join(folder, fileOf(number, me));
    writeFileSync(mine, "");
    rmSync(drawing, { force: true });
    touch = keepTouched(mine);
    const othersFirst = (): boolean =>
      waiting(folder).some((other) => other.me !== me && goesBefore(other, number, me));
    // Two looks: one may miss both files of a process that replaces one by the other meanwhile.
    while (othersFirst() || othersFirst()) {
      signal.throwIfAborted();
      await new Promise((done) => setTimeout(done, POLL_MS));
    }
    signal.throwIfAborted();
    return await work();
  } finally {
    clearInterval(touch);
    giveUp(drawing);
    giveUp(mine);
  }
}

/** Removes a ticket of this process. Others wait for it, so it is tried again while the disk is read-only. */
export function giveUp(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    setTimeout(() => giveUp(file), AGAIN_MS).unref();
  }
}

/** A process that is drawing may get any number, so wait for it: that takes no time. */
const goesBefore = (other: Ticket, number: number, me: string): boolean =>
  other.number < number || (other.number === number && other.me < me);

function waiting(folder: string): Ticket[] {
  return readdirSync(folder).flatMap((name) => {
    const [, number, me] = FILE.exec(name) ?? [];
    if (me === undefined) return [];
    const file = join(folder, name);
    if (isTicketHeld(me, file)) return { number: Number(number), me };
    rmSync(file, { force: true });
    return [];
  });
}

/** Shows other machines that this process lives, until the timer is cleared. */
export function keepTouched(file: string): NodeJS.Timeout {
  // Removed by somebody else on purpose: the owner goes on.
  const touch = (now: Date): void => tried(() => utimesSync(file, now, now), undefined);
  return setInterval(() => touch(new Date()), TOUCH_MS).unref();
}

const fileOf = (number: number, me: string): string => `${String(number).padStart(10, "0")}.${me}`;
