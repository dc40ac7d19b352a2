/**
 * The last lines of commands that run now and of replies that arrive, in small files that every process of this machine can read: a
 * page or a terminal shows them for members that another process hosts. A command or reply that ends within `YOUNG_MS`, or prints
 * nothing, has no file.
 */

import { randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { COMMAND_MAX, KEPT, type LiveKind, type LiveOutput, lastPrinted } from "../core/text/live-output.ts";
import { tried } from "../core/tried.ts";
import { systemClock } from "./clock.ts";
import { livesAs, OWN_IDENTITY } from "./process-identity.ts";
import { tailOf } from "./tail.ts";

const YOUNG_MS = 100;
/** Between two writes of a command; the more commands print at once, the longer. */
const EVERY_MS = 100;
const EVERY_MS_FOR_EACH = 5;
/** A line without an end is shown once nothing has followed for so long: it may be half of a secret. */
const QUIET_MS = 150;
const FILE_MAX = 40_000;
const FILES_MAX = 200;

const folderIn = (outputDir: string): string => join(outputDir, "live");

/** Writes for the hosts of one team. `scope` names the team and its store, as in the tags of its commands. */
export class LiveOutputWriter {
  private readonly folder: string;
  private readonly prefix: string;
  private readonly redact: (text: string) => string;
  private readonly printing = new Set<Tail>();
  private readonly open = new Map<Tail, Omit<LiveOutput, "text">>();
  private started = 0;
  /** Null before the first write. */
  private usable: boolean | null = null;

  constructor(outputDir: string, scope: string, redact: (text: string) => string) {
    this.folder = folderIn(outputDir);
    this.prefix = `${scope}-${randomBytes(6).toString("hex")}`;
    this.redact = redact;
  }

  /**
   * To be told of everything that one command prints, or of the words of one reply, which hold no secrets, and of the end. Never
   * throws.
   */
  begin(who: string, command: string, kind: LiveKind = "command"): Tail {
    this.started += 1;
    const path = join(this.folder, `${this.prefix}.${this.started}.json`);
    const about = { kind, who, since: Date.now() };
    const tail: Tail = new Tail({
      redact: this.redact,
      isByLine: kind === "command",
      everyMs: () => EVERY_MS + EVERY_MS_FOR_EACH * this.printing.size,
      write: (text) => {
        this.printing.add(tail);
        this.write(path, { ...about, command: this.redact(command).slice(0, COMMAND_MAX), text });
      },
      remove: () => {
        this.open.delete(tail);
        if (this.printing.delete(tail)) remove(path);
      },
    });
    this.open.set(tail, { ...about, command: this.redact(command).slice(0, COMMAND_MAX) });
    return tail;
  }

  /** The output of this moment, up to the last word. The oldest first. */
  now(): LiveOutput[] {
    return [...this.open].map(([tail, about]) => ({ ...about, text: tail.text() }));
  }

  private write(path: string, output: LiveOutput): void {
    try {
      this.usable ??= this.prepared();
      if (!this.usable) return;
      const next = `${path}.tmp`;
      writeFileSync(next, JSON.stringify({ process: OWN_IDENTITY, ...output }), { mode: 0o600 });
      renameSync(next, path);
    } catch {
      this.usable = false; // a full disk: the command and its result do not depend on this
    }
  }

  /** Makes the folder, and removes the files of processes that were killed. */
  private prepared(): boolean {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    if (!lstatSync(this.folder).isDirectory()) return false; // a link of the project
    for (const file of readdirSync(this.folder)) removeStale(join(this.folder, file)).catch(() => {});
    return true;
  }
}

type Sink = {
  readonly redact: (text: string) => string;
  /** The line that is being written may hold half of a secret. */
  readonly isByLine: boolean;
  /** The pause after a write. */
  readonly everyMs: () => number;
  readonly write: (text: string) => void;
  readonly remove: () => void;
};

/** The end of one command's output, written at a bounded rate. */
class Tail {
  private readonly sink: Sink;
  private readonly since = systemClock.uptime();
  /** The last chunks, of which the first is needed in part. They are decoded when they are shown: a command may print gigabytes. */
  private readonly chunks: Buffer[] = [];
  private bytes = 0;
  private isCut = false;
  private heardAt = 0;
  private wroteAt = Number.NEGATIVE_INFINITY;
  private written = "";
  private timer: NodeJS.Timeout | undefined;
  private isOver = false;

  constructor(sink: Sink) {
    this.sink = sink;
  }

  add(chunk: Buffer): void {
    if (this.isOver) return;
    this.heardAt = systemClock.uptime();
    this.chunks.push(chunk);
    this.bytes += chunk.length;
    for (let first = this.chunks[0]; first && this.bytes - first.length >= KEPT; first = this.chunks[0]) {
      this.bytes -= first.length;
      this.chunks.shift();
      this.isCut = true;
    }
    this.plan();
  }

  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    clearTimeout(this.timer);
    this.sink.remove();
  }

  /** As others see it. */
  text(): string {
    const { isByLine, redact } = this.sink;
    const text = Buffer.concat(this.chunks).subarray(-KEPT).toString("utf8");
    return lastPrinted(
      isByLine ? text.slice(0, lineEnd(text)) : text,
      this.isCut || this.bytes > KEPT,
      redact,
    );
  }

  private plan(): void {
    if (this.timer !== undefined) return;
    const at = Math.max(this.since + YOUNG_MS, this.wroteAt + this.sink.everyMs());
    this.timer = setTimeout(() => this.look(), Math.max(0, at - systemClock.uptime()));
    this.timer.unref();
  }

  private look(): void {
    this.timer = undefined;
    this.wroteAt = systemClock.uptime();
    const isQuiet = this.wroteAt - this.heardAt >= QUIET_MS;
    const text = Buffer.concat(this.chunks).subarray(-KEPT).toString("utf8");
    const whole = isQuiet || !this.sink.isByLine ? text : text.slice(0, lineEnd(text));
    const shown = lastPrinted(whole, this.isCut || this.bytes > KEPT, this.sink.redact);
    if (shown !== this.written) this.sink.write(shown);
    this.written = shown;
    if (whole.length < text.length) this.plan();
  }
}

/** The place behind the last line, or behind the last state of a line that is written over and over. */
const lineEnd = (text: string): number => Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1;

/** The output of a team's commands at this moment on this machine, the oldest first; `scope` as for the writer. Never throws. */
export async function readLiveOutput(outputDir: string, scope: string): Promise<LiveOutput[]> {
  const folder = folderIn(outputDir);
  const files = await readdir(folder).catch(() => []);
  const ours = files.filter((file) => file.startsWith(`${scope}-`) && file.endsWith(".json"));
  const found = await Promise.all(ours.slice(0, FILES_MAX).map((file) => read(join(folder, file))));
  return found.filter((one) => one !== null).sort((a, b) => a.since - b.since);
}

/** Null for anything but the file of a process that lives, as far as can be seen. */
async function read(path: string): Promise<LiveOutput | null> {
  try {
    const { process, kind, who, command, since, text } = JSON.parse(await tailOf(path, FILE_MAX));
    if (livesAs(String(process)) === false) return null;
    const known = kind === "text" || kind === "thinking" ? kind : "command";
    return {
      kind: known,
      who: String(who),
      command: String(command),
      since: Number(since),
      text: String(text),
    };
  } catch {
    return null;
  }
}

/** A file that stays is removed by a later process. */
const remove = (path: string): void => tried(() => rmSync(path, { force: true }), undefined); // the folder has become unwritable

async function removeStale(path: string): Promise<void> {
  const identity = /"process":"([^"]*)"/.exec(await tailOf(path, FILE_MAX))?.[1] ?? "";
  if (livesAs(identity) === false) remove(path);
}
