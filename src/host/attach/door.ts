/**
 * The faces of a team that this process runs: terminals of the same user on this machine. Their orders are the person's. A face that
 * does not read is left, so the team never waits for one; it comes back by itself when it reads again.
 */
import { rmSync } from "node:fs";
import type { Server, Socket } from "node:net";
import { dirname } from "node:path";
import manifest from "../../../package.json" with { type: "json" };
import { badInput, messageOf, toolFailed } from "../../core/errors.ts";
import type { HostOptions, TeamHost } from "../team-host.ts";
import { inodeOf, listenAt, NONE } from "./place.ts";
import {
  type CallName,
  type Calls,
  type FromFace,
  type FromHost,
  faultOf,
  type HostState,
  PASSED,
  type Passed,
  PROTOCOL,
  type Refusal,
  readLines,
  send,
} from "./wire.ts";

const STATE_MS = 200;
const FLUSH_MS = 500;
/** Bytes that wait for a face before it is left. */
const BEHIND_MAX = 4 * 1024 * 1024;
/** Between two looks whether the socket is in its place. */
const MEND_MS = 1_000;

type Told = Required<Pick<HostOptions, "onDelta" | "onOutput" | "onModel" | "onNotice" | "onUsedUp">>;

export class Door {
  private server: Server;
  private readonly path: string;
  private inode: bigint;
  private readonly mending: NodeJS.Timeout;
  private readonly faces = new Set<Socket>();
  /** Those that have said hello before the team was open. */
  private readonly early = new Set<Socket>();
  private readonly windows = new Map<string, number>();
  private ticking: NodeJS.Timeout | null = null;
  private host: TeamHost | null = null;
  private isRun = false;
  private started: Promise<unknown> = Promise.resolve();
  private flags: Readonly<Record<string, unknown>> = {};
  private refusal: Refusal | null = null;
  private usedUp: string | null = null;
  private last = "";
  /** When the last face left, or the door was opened. */
  private aloneSince = Date.now();

  /** Null where a living process has the socket. @throws EkidenError `tool_failed` where it cannot be made */
  static async open(path: string): Promise<Door | null> {
    const server = await listenAt(path).catch((error: unknown) => {
      throw toolFailed(
        `the socket through which terminals reach the team cannot be made: ${messageOf(error)}. ${dirname(path)} must have room and be writable. Another place: set XDG_CONFIG_HOME.`,
      );
    });
    return server && new Door(server, path);
  }

  private constructor(server: Server, path: string) {
    this.path = path;
    this.server = this.served(server);
    this.inode = inodeOf(path);
    this.mending = setInterval(() => void this.mend().catch(() => {}), MEND_MS).unref();
  }

  private served(server: Server): Server {
    return server.on("connection", (socket) => this.meet(socket)).on("error", () => {});
  }

  /** Somebody may have removed the socket. Without it a new face would start a second process. */
  private async mend(): Promise<void> {
    if (inodeOf(this.path) !== NONE) return;
    const [before, server] = [this.server, await listenAt(this.path)];
    if (server === null) return;
    this.server = this.served(server);
    this.inode = inodeOf(this.path);
    before.close();
  }

  /** The options with which the host must be opened, so that the faces hear it. */
  readonly told: Told = {
    onDelta: (who, delta) => this.tell({ who, delta }),
    onOutput: (who, command, output) => this.tell({ who, command, output }),
    onModel: (who, { window }) => {
      this.windows.set(who, window);
      this.tickSoon();
    },
    onNotice: (notice) => this.tell({ notice }),
    onUsedUp: (text) => {
      this.usedUp = text;
      this.tick();
    },
  };

  /** From now on faces are answered. `started`: resolves when the members have started. `isRun`: it does not end with its faces. */
  serve(
    host: TeamHost,
    started: Promise<unknown>,
    flags: Readonly<Record<string, unknown>>,
    isRun = false,
  ): void {
    [this.host, this.started, this.flags, this.isRun] = [host, started, flags, isRun];
    started.catch(() => {});
    // The state changes with a fact, or a moment after it: an idle team costs nothing here.
    host.store.wake.watch("journal", () => this.tickSoon());
    host.store.wake.watch("orders", () => this.tick());
    void host.done.then(({ error, ...outcome }) =>
      this.tell({ done: { ...outcome, ...(error && { error: faultOf(error) }) } }),
    );
    for (const socket of this.early) this.welcome(socket, host);
    this.early.clear();
  }

  /** Refuses new faces until the door is closed: the host cannot be opened, or is about to end. */
  refuse(refusal: Refusal): void {
    this.refusal = refusal;
    for (const socket of this.early) this.turnAway(socket, refusal);
    this.early.clear();
  }

  /** The time without any face, in milliseconds. */
  get alone(): number {
    return this.faces.size + this.early.size > 0 ? 0 : Date.now() - this.aloneSince;
  }

  /** Another process has taken the place of this one since it opened the door. */
  get isReplaced(): boolean {
    return ![this.inode, NONE].includes(inodeOf(this.path));
  }

  async close(): Promise<void> {
    if (this.ticking) clearTimeout(this.ticking);
    clearInterval(this.mending);
    if (!this.isReplaced) rmSync(this.path, { force: true });
    const closed = new Promise((done) => this.server.close(done));
    const sockets = [...this.faces, ...this.early];
    for (const socket of sockets) socket.destroySoon();
    // A face that does not read does not keep this process.
    setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, FLUSH_MS).unref();
    await closed;
  }

  private tell(message: FromHost): void {
    for (const socket of this.faces) {
      if (socket.writableLength > BEHIND_MAX) socket.destroy();
      else send(socket, message);
    }
  }

  private tickSoon(): void {
    this.ticking ??= setTimeout(() => {
      this.ticking = null;
      this.tick();
    }, STATE_MS).unref();
  }

  private tick(): void {
    if (!this.host || this.faces.size === 0) return;
    const state = this.state(this.host);
    const text = JSON.stringify(state);
    if (text === this.last) return;
    this.last = text;
    this.tell({ state });
  }

  private state(host: TeamHost): HostState {
    const { limits, isUsedUp } = host.spending;
    if (!isUsedUp) this.usedUp = null;
    const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);
    const { usd, tokens, mostUsd, mostTokens } = limits;
    return {
      mode: host.mode,
      models: [...host.models].map(([who, spec]) => [who, spec, this.windows.get(who) ?? 0]),
      limits: { usd, tokens, mostUsd: finite(mostUsd), mostTokens: finite(mostTokens) },
      usedUp: this.usedUp,
    };
  }

  private meet(socket: Socket): void {
    const left = (): void => {
      this.early.delete(socket);
      if (this.faces.delete(socket) && this.faces.size === 0) this.aloneSince = Date.now();
    };
    socket.on("close", left).on("error", () => socket.destroy());
    readLines<FromFace>(socket, (message) => {
      if ("hello" in message) this.greet(socket, message);
      else if (this.faces.has(socket)) void this.answer(socket, message);
      else socket.destroy();
    });
  }

  private greet(socket: Socket, { hello, version }: Extract<FromFace, { hello: number }>): void {
    if (hello !== PROTOCOL || version !== manifest.version)
      this.turnAway(socket, {
        code: "host_version",
        message: `the team works in process ${process.pid} of ekiden ${manifest.version}, and this is ekiden ${version}. End it first: ekiden stop`,
      });
    else if (this.refusal) this.turnAway(socket, this.refusal);
    else if (this.host) this.welcome(socket, this.host);
    else this.early.add(socket);
  }

  private turnAway(socket: Socket, refused: Refusal): void {
    send(socket, { refused });
    socket.end();
  }

  private welcome(socket: Socket, host: TeamHost): void {
    this.faces.add(socket);
    const { flags, isRun } = this;
    send(socket, { welcome: this.state(host), pid: process.pid, now: host.heardNow(), flags, isRun });
  }

  private async answer(socket: Socket, { id, call, args }: Extract<FromFace, { id: number }>): Promise<void> {
    try {
      if (!this.host) throw badInput("the host is not open.");
      const value = await this.called(socket, this.host, call, args);
      this.tick();
      send(socket, { id, value: value ?? null });
    } catch (error) {
      send(socket, { id, fault: faultOf(error) });
    }
  }

  private called(socket: Socket, host: TeamHost, call: CallName, args: readonly unknown[]): unknown {
    if (isPassed(call)) {
      const passed = host[call] as (...args: unknown[]) => unknown;
      return passed.apply(
        host,
        args.map((one) => one ?? undefined),
      );
    }
    switch (call) {
      case "started":
        return this.started.then(() => null);
      case "answers":
        return null;
      case "end":
        return this.end(socket, host);
      default:
        call satisfies never;
        throw badInput(`a host has no call "${call}".`);
    }
  }

  private end(socket: Socket, host: TeamHost): ReturnType<Calls["end"]> {
    if (this.isRun || [...this.faces].some((one) => one !== socket)) return "goes on";
    void host.interrupt();
    return "stopped";
  }
}

const isPassed = (call: CallName): call is Passed => PASSED.some((name) => name === call);
