/**
 * A lock across processes, first come, first served: one process at a time moves the target branch of a repository. Its files are
 * in the repository's own folder, because several teams, stores and programs may use one repository.
 *
 * Lamport's bakery algorithm: each process draws a number higher than all it sees and waits for the lower ones. No process takes
 * over another's ticket, so after a crash the only question is whether a process lives, and two cannot both be first.
 */
import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { isAlive } from "../process-table.ts";

const POLL_MS = 50;
/** A ticket of another machine that was not touched for this long belongs to a dead process. */
const SILENCE_MS = 120_000;
const TOUCH_MS = 20_000;

const MACHINE = createHash("sha256").update(hostname()).digest("hex").slice(0, 12);
/** "00000012.4711.88123.0a1b2c….9f8e7d": number, process, its start, machine, random. The number 0 is still being drawn. */
const TICKET = /^(\d{10})\.((\d+)\.(\d+)\.([0-9a-f]+)\.[0-9a-f]+)$/;

/** Names this process and one use of it: process, its start, machine, random. */
export const newTicket = (): string =>
  `${process.pid}.${startOf(process.pid)}.${MACHINE}.${randomBytes(6).toString("hex")}`;

/** Whether the process that made the ticket lives; `file`: it touches this one. */
export function isTicketHeld(ticket: string, file: string): boolean {
  const [pid = "", started = "", machine = ""] = ticket.split(".");
  return isHeld({ file, pid: Number(pid), started, machine });
}

type Ticket = {
  readonly file: string;
  readonly number: number;
  readonly me: string;
  readonly pid: number;
  readonly started: string;
  readonly machine: string;
};

/** The folder of the lock under which the target moves; `commonDir`: git's folder that all its worktrees share. */
export const queueIn = (commonDir: string): string => join(commonDir, "ekiden-queue");

/**
 * Runs `work` when every earlier process is done, after `onWait` if it has to wait. Rejects with the signal's reason
 * when it aborts while waiting.
 */
export async function inTurn<T>(
  folder: string,
  signal: AbortSignal,
  work: () => Promise<T>,
  onWait: () => Promise<void> = () => Promise.resolve(),
): Promise<T> {
  mkdirSync(folder, { recursive: true });
  const me = newTicket();
  const drawing = join(folder, fileOf(0, me));
  writeFileSync(drawing, "");
  const number = 1 + Math.max(0, ...waiting(folder).map((ticket) => ticket.number));
  const mine = join(folder, fileOf(number, me));
  writeFileSync(mine, "");
  rmSync(drawing, { force: true });
  const touch = keepTouched(mine);
  const othersFirst = (): boolean =>
    waiting(folder).some((other) => other.me !== me && goesBefore(other, number, me));
  try {
    // Two looks: one may miss both files of a process that replaces one by the other meanwhile.
    for (let first = true; othersFirst() || othersFirst(); first = false) {
      signal.throwIfAborted();
      if (first) await onWait();
      await new Promise((done) => setTimeout(done, POLL_MS));
    }
    signal.throwIfAborted();
    return await work();
  } finally {
    clearInterval(touch);
    rmSync(mine, { force: true });
  }
}

/** A process that is drawing may get any number, so wait for it: that takes no time. */
const goesBefore = (other: Ticket, number: number, me: string): boolean =>
  other.number < number || (other.number === number && other.me < me);

function waiting(folder: string): Ticket[] {
  const alive: Ticket[] = [];
  for (const file of readdirSync(folder)) {
    const [, number, me, pid, started, machine] = TICKET.exec(file) ?? [];
    if (number === undefined || me === undefined || started === undefined || machine === undefined) continue;
    const ticket = {
      file: join(folder, file),
      number: Number(number),
      me,
      pid: Number(pid),
      started,
      machine,
    };
    if (isHeld(ticket)) alive.push(ticket);
    else rmSync(ticket.file, { force: true });
  }
  return alive;
}

function isHeld({
  file,
  pid,
  started,
  machine,
}: Pick<Ticket, "file" | "pid" | "started" | "machine">): boolean {
  if (machine !== MACHINE) {
    try {
      return Date.now() - statSync(file).mtimeMs < SILENCE_MS;
    } catch {
      return false;
    }
  }
  if (!isAlive(pid)) return false;
  const now = startOf(pid);
  return now === "0" || started === "0" || now === started;
}

/** The time at which the kernel started a process, to tell it from a later one with the same id. "0": unknown. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "0";
  } catch {
    return "0";
  }
}

/** Shows other machines that this process lives, until the timer is cleared. */
export function keepTouched(file: string): NodeJS.Timeout {
  return setInterval(() => touchFile(file), TOUCH_MS).unref();
}

function touchFile(file: string): void {
  const now = new Date();
  try {
    utimesSync(file, now, now);
  } catch {
    // Removed by somebody else on purpose; the owner goes on.
  }
}

const fileOf = (number: number, me: string): string => `${String(number).padStart(10, "0")}.${me}`;
