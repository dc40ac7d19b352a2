/**
 * A team that another process of this machine runs, for a face: the same interface as of one that runs here. Where that process is gone
 * unexpectedly, or has left this one because it did not read, the face reaches it, or a new one, by itself.
 */
import { connect, type Socket } from "node:net";
import manifest from "../../../package.json" with { type: "json" };
import type { Order } from "../../core/board/orders.ts";
import { EkidenError, toolFailed } from "../../core/errors.ts";
import { type Name, PERSON } from "../../core/ids.ts";
import type { Mode } from "../../core/permission/mode.ts";
import type { LiveOutput } from "../../core/text/live-output.ts";
import type { Cursor, Store } from "../../ports/index.ts";
import type { Done } from "../../team/actions/done.ts";
import type { Allowance } from "../money/spending.ts";
import type { Limits } from "../money/spent.ts";
import { asEkidenError, type Outcome } from "../outcome.ts";
import type { HostOptions, TeamHost } from "../team-host.ts";
import {
  type CallName,
  type Calls,
  errorOf,
  type FromHost,
  type HostState,
  type Passed,
  PROTOCOL,
  type Refusal,
  readLines,
  send,
} from "./wire.ts";

/** More ends of hosts than this within the time are no accident. */
const LOST_MAX = 3;
const LOST_MS = 60_000;
/** A call may take long; a process that says nothing for this time stands still. */
const SILENT_MS = 3_000;

/** A host that answered, and whom it talks to. */
type Line = { readonly socket: Socket; readonly listen: (hear: (message: FromHost) => void) => void };
type Welcome = Extract<FromHost, { readonly welcome: unknown }>;
export type Reached = { readonly line: Line; readonly welcome: Welcome };

/** Null where no process has the socket, or it says nothing for `limitMs`; `refused` where it is of no use. */
export function reach(path: string, limitMs = 0): Promise<Reached | { readonly refused: Refusal } | null> {
  return new Promise((done) => {
    const socket = connect(path).setTimeout(limitMs, () => socket.destroy());
    const early: FromHost[] = [];
    let hear = (message: FromHost): void => void early.push(message);
    const listen: Line["listen"] = (to) => {
      hear = to;
      for (const message of early.splice(0)) to(message);
    };
    socket.on("error", () => socket.destroy()).on("close", () => done(null));
    readLines<FromHost>(socket, (message) => {
      if ("refused" in message) done(message);
      else if ("welcome" in message) {
        socket.setTimeout(0); // a team at rest says nothing for hours
        done({ line: { socket, listen }, welcome: message });
      } else hear(message);
    });
    send(socket, { hello: PROTOCOL, version: manifest.version });
  });
}

export type AttachOptions = {
  /** A host that runs the team; starts one where there is none. */
  readonly reach: () => Promise<Reached>;
  readonly store: Store;
  readonly told: Pick<HostOptions, "onDelta" | "onOutput" | "onModel" | "onNotice" | "onUsedUp">;
  /** The texts and the output of members now, before anything else is told. Earlier news of them is void. */
  readonly onNow?: (now: readonly LiveOutput[]) => void;
};

export class AttachedHost implements TeamHost {
  /** Not told by the process that runs the team. */
  readonly changed = async (): Promise<ReadonlySet<string>> => new Set();
  readonly store: Store;
  readonly since: Cursor = "" as Cursor;
  readonly done: Promise<Outcome>;
  readonly spending: Allowance;
  private readonly options: AttachOptions;
  /** The process of the host, and the options with which it was started. */
  about: Pick<Welcome, "pid" | "flags" | "isRun">;
  private line: Line;
  private state: HostState;
  private resolve: (outcome: Outcome) => void = () => {};
  private nth = 0;
  private readonly waiting = new Map<number, (message: FromHost | null) => void>();
  private isOver = false;
  private isSilent = false;
  /** A face that only looks on is told of a process that stands still, too. */
  private readonly asking: NodeJS.Timeout;
  private readonly losses: number[] = [];
  /** Resolves when this line was lost and the team is reached again, or cannot be. */
  private relinked: Promise<void> = Promise.resolve();

  static async open(options: AttachOptions): Promise<AttachedHost> {
    return new AttachedHost(options, await options.reach());
  }

  private constructor(options: AttachOptions, reached: Reached) {
    this.options = options;
    this.store = options.store;
    this.done = new Promise((resolve) => {
      this.resolve = resolve;
    });
    this.line = reached.line;
    this.about = reached.welcome;
    this.state = reached.welcome.welcome;
    const limits = (): Limits => limitsOf(this.state);
    const isUsedUp = (): boolean => this.state.usedUp !== null;
    this.spending = {
      get limits() {
        return limits();
      },
      get isUsedUp() {
        return isUsedUp();
      },
    };
    this.begin(reached);
    this.asking = setInterval(() => {
      if (!this.isSilent && this.waiting.size === 0) this.call("answers").catch(() => {});
    }, SILENT_MS).unref();
  }

  /** The process may end before the members have started: the next one starts them. */
  async start(): Promise<void> {
    for (;;) {
      const { line, relinked } = this;
      try {
        return void (await this.call("started"));
      } catch (error) {
        if (!line.socket.destroyed) throw error;
        await relinked;
        if (this.isOver) return; // `done` says why
      }
    }
  }

  isEnding(): boolean {
    return this.isOver;
  }

  /** Resolves when the team has stopped, or at once where another face looks on: the host's `done` comes only then. */
  async interrupt(): Promise<void> {
    if (this.isOver) return;
    if ((await this.call("end").catch(() => "goes on")) === "stopped") await this.done;
  }

  readonly stop = this.passing("stop");
  readonly tellLead = this.passing("tellLead");
  readonly passed = this.passing("passed");
  readonly takeUp = this.passing("takeUp");
  readonly offeredModels = this.passing("offeredModels");
  readonly efforts = this.passing("efforts");
  readonly sandbox = this.passing("sandbox");
  readonly runsUnasked = this.passing("runsUnasked");

  async order(what: Order): Promise<Done<unknown>> {
    this.call("answers").catch(() => {}); // tells of a process that stands still
    const { give } = await import("../../team/actions/order.ts");
    const done = await give(this.store, PERSON, what);
    // The host tells its state a moment later.
    if (what.kind === "mode") this.state = { ...this.state, mode: what.mode };
    return done;
  }

  get models(): ReadonlyMap<Name, string> {
    return new Map(this.state.models.map(([who, spec]) => [who, spec]));
  }

  get mode(): Mode {
    return this.state.mode;
  }

  /** Told by `onNow`. */
  heardNow(): readonly LiveOutput[] {
    return [];
  }

  /** Leaves the team as it is. */
  async close(): Promise<void> {
    this.isOver = true;
    clearInterval(this.asking);
    this.line.socket.destroy();
    await this.store.close();
  }

  /** A function of the host, called there. */
  private passing<C extends Passed>(
    name: C,
  ): (...args: Parameters<Calls[C]>) => Promise<Awaited<ReturnType<Calls[C]>>> {
    return (...args) => this.call(name, ...args);
  }

  private call<C extends CallName>(
    call: C,
    ...args: Parameters<Calls[C]>
  ): Promise<Awaited<ReturnType<Calls[C]>>> {
    const { line } = this;
    if (this.isOver || line.socket.destroyed) return Promise.reject(gone());
    this.nth += 1;
    const id = this.nth;
    return new Promise((done, fail) => {
      const late = setTimeout(() => this.late(line, call), SILENT_MS).unref();
      this.waiting.set(id, (message) => {
        clearTimeout(late);
        if (message && "value" in message) done(message.value as Awaited<ReturnType<Calls[C]>>);
        else fail(message && "fault" in message ? errorOf(message.fault) : gone());
      });
      send(line.socket, { id, call, args });
    });
  }

  private late({ socket }: Line, call: CallName): void {
    if (socket.destroyed) return;
    if (call !== "answers") return void this.call("answers").catch(() => {});
    if (this.isSilent) return;
    this.isSilent = true;
    const { pid } = this.about;
    this.options.told.onNotice?.(
      `process ${pid} of the team does not answer; what you send waits for it. To end it: kill -9 ${pid}`,
    );
  }

  private begin({ line, welcome }: Reached): void {
    this.line = line;
    this.about = welcome;
    this.options.onNow?.(welcome.now);
    this.take(welcome.welcome, null);
    line.listen((message) => this.hear(message));
    this.relinked = new Promise((done) => {
      const lost = (): void => void this.lost().then(done);
      if (line.socket.destroyed) lost();
      else line.socket.on("close", lost);
    });
  }

  private hear(message: FromHost): void {
    const { told } = this.options;
    this.isSilent = false;
    if ("id" in message) {
      this.waiting.get(message.id)?.(message);
      this.waiting.delete(message.id);
    } else if ("delta" in message) told.onDelta?.(message.who, message.delta);
    else if ("output" in message) told.onOutput?.(message.who, message.command, message.output);
    else if ("notice" in message) told.onNotice?.(message.notice);
    else if ("state" in message) this.take(message.state, this.state.usedUp);
    else if ("done" in message) {
      const { error, ...outcome } = message.done;
      this.finish({ ...outcome, ...(error && { error: errorOf(error) }) });
    }
  }

  private take(state: HostState, usedUp: string | null): void {
    this.state = state;
    const { onModel, onUsedUp } = this.options.told;
    for (const [who, spec, window] of state.models) onModel?.(who, { spec, window });
    if (state.usedUp !== null && state.usedUp !== usedUp) onUsedUp?.(state.usedUp);
  }

  private finish(outcome: Outcome): void {
    this.isOver = true;
    clearInterval(this.asking);
    this.resolve(outcome);
  }

  private async lost(): Promise<void> {
    for (const answer of this.waiting.values()) answer(null);
    this.waiting.clear();
    if (this.isOver) return;
    const now = Date.now();
    this.losses.push(now);
    try {
      if (this.losses.filter((at) => now - at < LOST_MS).length > LOST_MAX)
        throw toolFailed("the process of the team ends again and again.");
      this.options.told.onNotice?.("the line to the process of the team is cut; it is reached again");
      const reached = await this.options.reach();
      if (this.isOver) reached.line.socket.destroy();
      else this.begin(reached);
    } catch (error) {
      const { code, message } = asEkidenError(error);
      const text = `Process ${this.about.pid} of the team is gone, and no other one can take its place: ${message}`;
      this.finish({ ...NOTHING, reason: "model", error: new EkidenError(code, text) });
    }
  }
}

const NOTHING = { completed: 0, failed: 0, cancelled: 0, unfinished: 0, text: "" } as const;

const gone = (): EkidenError => toolFailed("the process of the team is gone; say it again when it is back.");

const limitsOf = ({ limits: { usd, tokens, mostUsd, mostTokens } }: HostState): Limits => ({
  usd: usd ?? 0,
  tokens: tokens ?? 0,
  mostUsd: mostUsd ?? Number.POSITIVE_INFINITY,
  mostTokens: mostTokens ?? Number.POSITIVE_INFINITY,
});
