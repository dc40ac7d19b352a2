/**
 * Wake-ups between processes on one machine, for SQLite. After a commit the writer overwrites one byte of a file next to the
 * database. Readers watch that file, and poll `data_version` in case a notice is lost. Both only mean "something changed": readers
 * learn from the journal what, and wake the waiters of those topics.
 */

import { closeSync, constants, type FSWatcher, openSync, watch, writeSync } from "node:fs";
import type { FactType } from "../../../core/event.ts";
import { tried } from "../../../core/tried.ts";
import type { WakeTopic } from "../../../ports/store.ts";
import { systemClock } from "../../clock.ts";
import { isOrder } from "../journal.ts";
import { parse, type Row, type Value } from "../sql.ts";
import type { Feed, WakeHub } from "../wake-hub.ts";

type Options = {
  readonly path: string;
  readonly pollMs: number;
  readonly hub: WakeHub;
  /** Changes when another connection has committed. */
  readonly version: () => number;
  readonly query: (text: string, params: readonly Value[]) => Row[];
};

const JOURNAL_MS = 25;
/** Notices in quick succession are joined: the first goes at once, the rest after this time. */
const GAP_MS = 5;
/** If there are more new events than this, all waiters are woken instead of reading them. */
const MANY = 1_000;
/** A store in which nothing has happened for so many polls is polled at a fraction of the rate: an idle team consists of little else. */
const CALM_POLLS = 20;
const CALM_FACTOR = 4;

/** After these a task may have become ready. */
export const MAKES_READY: ReadonlySet<string> = new Set<FactType>([
  "task.added",
  "task.unblocked",
  "task.released",
  "task.changed",
]);
/** After these a task may start that had to wait for another one's files. */
const FREES_FILES: ReadonlySet<string> = new Set<FactType>([
  "task.completed",
  "task.failed",
  "task.cancelled",
]);

/** A pipe without a reader and a link are refused at once: the poll remains. */
const SIGNAL_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export class SignalFiles implements Feed {
  private readonly options: Options;
  private file: number | null = null;
  private watcher: FSWatcher | null = null;
  private poll: NodeJS.Timeout | null = null;
  /** Polls since the last commit of anybody. */
  private uneventful = 0;
  private later: NodeJS.Timeout | null = null;
  private signalAt = Number.POSITIVE_INFINITY;
  private signalledAt = Number.NEGATIVE_INFINITY;
  private version = 0;
  private seq = 0;
  private landings = "";

  constructor(options: Options) {
    this.options = options;
  }

  /** Marks all present events as known. */
  begin(): void {
    this.version = this.options.version();
    this.seq = this.lastSeq();
    this.landings = this.queue();
  }

  start(): void {
    try {
      if (!this.watcher) {
        this.open();
        this.watcher = watch(
          `${this.options.path}-signal`,
          { persistent: false },
          () => this.poll && this.check(),
        );
        this.watcher.on("error", () => {});
      }
    } catch {
      // The system has no watches left, or the file system has none: the poll remains.
    }
    if (!this.poll) this.planPoll();
    this.check();
  }

  pause(): void {
    if (this.poll) clearTimeout(this.poll);
    this.poll = null;
  }

  private get isCalm(): boolean {
    return this.watcher !== null && this.uneventful >= CALM_POLLS;
  }

  private planPoll(): void {
    const ms = this.options.pollMs * (this.isCalm ? CALM_FACTOR : 1);
    this.poll = setTimeout(() => {
      this.uneventful += 1;
      this.planPoll();
      this.check();
    }, ms).unref();
  }

  /** A process that writes must hear soon that its file was replaced, and one whose watcher is deaf must not wait long twice. */
  private eventful(): void {
    const wasCalm = this.isCalm;
    this.uneventful = 0;
    if (!wasCalm || !this.poll) return;
    this.pause();
    this.planPoll();
  }

  publish(_team: string, topics: ReadonlySet<WakeTopic>): void {
    this.eventful();
    const quiet = topics.size === 1 && topics.has("journal");
    const now = systemClock.uptime();
    const at = quiet ? now + JOURNAL_MS : Math.max(now, this.signalledAt + GAP_MS);
    if (at >= this.signalAt) return;
    if (at === now) {
      this.signal();
      return;
    }
    if (this.later) clearTimeout(this.later);
    this.signalAt = at;
    this.later = setTimeout(() => this.signal(), at - now).unref();
  }

  async close(): Promise<void> {
    this.pause();
    this.watcher?.close();
    if (this.later) this.signal();
    if (this.file !== null) closeSync(this.file);
    this.file = null;
  }

  private open(): number {
    this.file ??= openSync(`${this.options.path}-signal`, SIGNAL_FLAGS, 0o600);
    return this.file;
  }

  private signal(): void {
    if (this.later) clearTimeout(this.later);
    this.later = null;
    this.signalAt = Number.POSITIVE_INFINITY;
    this.signalledAt = systemClock.uptime();
    tried(() => writeSync(this.open(), "!", 0), null); // other processes notice by their poll
  }

  private check(): void {
    try {
      const version = this.options.version();
      if (version === this.version) return;
      this.version = version;
      this.eventful();
      this.tell();
    } catch {
      this.options.hub.wakeAll(); // woken waiters get the error themselves and can report it
    }
  }

  private tell(): void {
    const { hub, query } = this.options;
    // A step of a landing is no fact.
    const landings = this.queue();
    if (landings !== this.landings) hub.wake("", ["landings"]);
    this.landings = landings;
    const news = query("select seq, team, type, data from events where seq > $1 order by seq limit $2", [
      this.seq,
      MANY,
    ]);
    if (news.length === MANY) {
      this.seq = this.lastSeq();
      hub.wakeAll();
      return;
    }
    const topics = new Map<string, Set<WakeTopic>>();
    for (const { seq, team, type, data } of news) {
      this.seq = Number(seq);
      const set = topics.get(String(team)) ?? new Set<WakeTopic>(["journal"]);
      topics.set(String(team), set);
      if (MAKES_READY.has(String(type))) set.add("board");
      else if (FREES_FILES.has(String(type)) && !set.has("board") && this.waitsForFiles(String(team)))
        set.add("board");
      else if (isOrder(String(type))) set.add("orders");
      else if (type === "mail.sent") set.add(`mail:${parse<{ to?: string }>(String(data), {}).to ?? ""}`);
    }
    for (const [team, set] of topics) hub.wake(team, set);
  }

  private waitsForFiles(team: string): boolean {
    const text =
      "select 1 from tasks where team = $1 and status = 'pending' and open_blockers = 0 and touches <> '[]' limit 1";
    return this.options.query(text, [team]).length > 0;
  }

  /** Differs after each change of the queue of landings. */
  private queue(): string {
    const text = `select (select coalesce(group_concat(id || '.' || changed), '') from landings) || ' ' ||
      (select coalesce(group_concat(branch || '.' || held_until), '') from reservations) as queue`;
    return String(this.options.query(text, [])[0]?.queue);
  }

  private lastSeq(): number {
    return Number(this.options.query("select coalesce(max(seq), 0) as seq from events", [])[0]?.seq ?? 0);
  }
}
