/** One round's world: a project, a store, a model server, and the host processes that faults are injected into. */
import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { descendantsOf, processesOf } from "../../../src/adapters/process-table.ts";
import { namesIn, textIn } from "../../../src/adapters/small-files.ts";
import { type ModelServer, startModelServer } from "../../fixtures/model-server/index.ts";
import { takeAway } from "../../fixtures/take-away.ts";
import { check } from "../checker/check.ts";
import type { Fault, History } from "../checker/history.ts";
import { inSnapshot, readEffects, readTables } from "../checker/read.ts";
import type { ClassName } from "./faults.ts";
import { newerProgram } from "./newer.ts";
import { Person } from "./person.ts";
import type { Place, WayName } from "./place.ts";
import { ChaosProject } from "./project.ts";
import { type Dice, programOf, type WorkPlan, whoAsks } from "./work.ts";

const PROGRAM = resolve(import.meta.dirname, "../../../dist/main.js");
const TEAM = "default";
const LATEST_LINES = 12;
/** The time of the search for a git: each runs for some milliseconds. */
const GIT_MS = 500;
/** Between one process of a machine that stood still and the next. */
const SLOW_START_MS = 40;

/** Of programs that cannot use a store, and of those that end at a limit. */
const STORE_CODE = 5;
const LIMIT_CODE = 4;

type Host = {
  readonly child: ChildProcess;
  readonly as: string;
  readonly hasDeadline: boolean;
  /** Ended by this runner. */
  killed: boolean;
  output: string;
  code: number | null | undefined;
};

export type WorldOptions = {
  readonly dir: string;
  readonly place: Place;
  readonly plan: WorkPlan;
  readonly leaseMs: number;
  readonly dice: Dice;
};

const ended = (child: ChildProcess): Promise<unknown> =>
  child.exitCode === null && child.signalCode === null
    ? new Promise((done) => child.once("exit", done))
    : Promise.resolve();

export const newFolder = (): string => realpathSync(mkdtempSync(join(tmpdir(), "ekiden-chaos-")));

export class World {
  readonly hosts: Host[] = [];
  readonly leaseMs: number;
  readonly dice: Dice;
  readonly isRunbook: boolean;
  /** The limit of this round, unless a class asks for more. */
  readonly mostKills: number;
  modelFaults = 0;
  kills = 0;
  private downs = 0;
  private calm = false;
  private readonly options: WorldOptions;
  readonly person: Person;
  private readonly project: ChaosProject;
  private server!: ModelServer;
  private newer: string | null = null;
  /** The ends of newer programs that were not refused. */
  private readonly newerEnds: string[] = [];
  private readonly thawing = new Set<Promise<unknown>>();

  private constructor(options: WorldOptions, project: ChaosProject) {
    this.options = options;
    this.project = project;
    this.person = new Person({
      ...options,
      url: options.place.direct,
      team: TEAM,
      says: async (...words) => {
        const child = this.program(words, "ignore");
        await ended(child);
        return child.exitCode === 0;
      },
    });
    this.leaseMs = options.leaseMs;
    this.dice = options.dice;
    const { isRunbook, members, classes } = options.plan;
    this.isRunbook = isRunbook;
    const isAlone = members.length === 2;
    this.mostKills = isAlone || classes.has("takeover") ? (isRunbook ? 2 : Number.POSITIVE_INFINITY) : 0;
  }

  static async open(options: WorldOptions): Promise<World> {
    const { dir, plan, leaseMs, dice } = options;
    const settings = {
      leaseMs,
      maxAttempts: 1_000,
      idlePollMs: 500,
      idleTimeoutMs: "never",
      progressTimeoutMs: 5_000,
      permissionMode: "bypass",
    };
    const world = new World(options, await ChaosProject.open(dir, plan, settings));
    world.server = await startModelServer({
      any: programOf(
        plan,
        dice,
        () => world.calm,
        () => {
          world.modelFaults += 1;
        },
      ),
    });
    return world;
  }

  get requests(): number {
    return this.server.requests.length;
  }

  get pushCuts(): number {
    return this.project.pushCuts;
  }

  get alive(): Host[] {
    return this.hosts.filter((host) => host.code === undefined);
  }

  start(command: "run" | "resume", members: readonly string[]): void {
    const as = `${command} ${members.join(",")}`;
    const model = this.isRunbook ? "runbook" : "anthropic/claude-haiku-4-5";
    const args = [
      ...(command === "run" ? ["run", "plan.md"] : ["resume"]),
      ...["--model", model],
      ...members.flatMap((name) => ["--teammate", name]),
    ];
    const isFull = this.has("output-full") && this.dice() < 0.3;
    if (isFull && this.dice() < 0.5) args.push("--json");
    const hasDeadline = !this.calm && this.has("deadlines") && this.dice() < 0.3;
    if (hasDeadline) args.push("--deadline", `${(1 + 8 * this.dice()).toFixed(1)}s`);
    const full = isFull ? openSync("/dev/full", "w") : null;
    const child = this.program(args, ["ignore", full ?? "pipe", "pipe"]);
    if (full !== null) closeSync(full);
    const host: Host = { child, as, hasDeadline, killed: false, output: "", code: undefined };
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk: Buffer) => {
        host.output = (host.output + chunk.toString()).slice(-8_000);
      });
    child.once("exit", (code) => {
      host.code = code;
    });
    this.hosts.push(host);
  }

  private has(name: ClassName): boolean {
    return this.options.plan.classes.has(name);
  }

  private program(args: readonly string[], stdio: StdioOptions, main = PROGRAM): ChildProcess {
    const { dir, place } = this.options;
    return spawn(process.execPath, [main, "--cwd", this.project.dir, ...args], {
      cwd: dir,
      env: {
        PATH: process.env.PATH,
        // The compiled code that a program caches there is of one version.
        HOME: main === PROGRAM ? dir : join(dir, "newer"),
        XDG_CONFIG_HOME: join(dir, "config"),
        EKIDEN_SANDBOX: "off",
        // Its password is not for a command line, and the program says so.
        EKIDEN_STORE: place.url,
        ...this.server.env,
      },
      stdio,
    });
  }

  /** A git that a host has started, such as one that commits, rebases or moves the target. */
  async killGit(): Promise<boolean> {
    const hosts = this.alive.flatMap(({ child }) => child.pid ?? []);
    for (const end = performance.now() + GIT_MS; performance.now() < end; await delay(1)) {
      const gits = descendantsOf(new Set(hosts)).filter((pid) => /^git/.test(textIn(`/proc/${pid}/comm`)));
      const git = gits[Math.floor(this.dice() * gits.length)];
      if (git === undefined) continue;
      try {
        return process.kill(git, "SIGKILL");
      } catch {
        // It has ended.
      }
    }
    return false;
  }

  /**
   * It looks at the team, which it reads from a copy, or offers to work for it, which is refused while a host of this version has a
   * lease. As a person does it, who has installed an update while a team works.
   */
  async startNewer(): Promise<boolean> {
    const isLook = this.dice() < 0.5;
    if (!isLook && !(await this.hasLease())) return false;
    this.newer ??= newerProgram(this.options.dir, PROGRAM);
    const child = this.program(isLook ? ["tasks"] : ["resume", "--teammate", "zed"], "ignore", this.newer);
    await ended(child);
    const isShown = isLook && child.exitCode === 0;
    if (!isShown && child.exitCode !== STORE_CODE)
      this.newerEnds.push(`${child.exitCode ?? child.signalCode}`);
    return true;
  }

  /** Whether a host that runs will have a lease for some time. */
  private async hasLease(): Promise<boolean> {
    if (this.thawing.size > 0) return false;
    const text = `select pid, lease_until from hosts where team = '${TEAM}'`;
    const rows = await inSnapshot(this.options.place.direct, (ask) => ask(text)).catch(() => []);
    const pids = new Set(this.alive.map(({ child }) => child.pid));
    return rows.some(
      ({ pid, lease_until }) => pids.has(Number(pid)) && Number(lease_until) > Date.now() + this.leaseMs / 2,
    );
  }

  /** Kills a host, unless `most` were killed before, and lets another take its place after a moment. */
  async killOne(most: number): Promise<boolean> {
    const host = this.pick();
    if (!host || this.kills >= most) return false;
    this.kills += 1;
    host.killed = true;
    host.child.kill("SIGKILL");
    await delay(this.dice() * 600);
    this.start("resume", host.as.split(" ")[1]?.split(",") ?? []);
    return true;
  }

  /** Only the host that works there has commands in the clones. */
  async leaveLocks(): Promise<boolean> {
    const [host, ...others] = this.alive;
    if (!host || others.length > 0 || this.kills >= this.mostKills || !this.options.plan.landings)
      return false;
    this.kills += 1;
    host.killed = true;
    host.child.kill("SIGKILL");
    await ended(host.child);
    const isLeft = this.project.leaveLocks();
    this.start("resume", host.as.split(" ")[1]?.split(",") ?? []);
    return isLeft;
  }

  removeSockets = async (): Promise<boolean> => {
    const folder = join(this.options.dir, "config", "ekiden", "hosts");
    const found = namesIn(folder);
    for (const name of found) rmSync(join(folder, name), { force: true });
    return found.length > 0;
  };

  async freezeOne(ms: number): Promise<boolean> {
    const host = this.pick();
    if (!host) return false;
    host.child.kill("SIGSTOP");
    const thawing = delay(ms).then(() => {
      host.child.kill("SIGCONT");
      this.thawing.delete(thawing);
    });
    this.thawing.add(thawing);
    return true;
  }

  /** As on a machine that stands still: hosts, their wardens and their commands stop at once and continue one after the other. */
  async freezeAll(ms: number): Promise<boolean> {
    const hosts = this.alive.flatMap(({ child }) => child.pid ?? []);
    const all = [...hosts, ...descendantsOf(new Set(hosts))];
    const send = (pid: number, signal: NodeJS.Signals): void => {
      try {
        process.kill(pid, signal);
      } catch {
        // It ended meanwhile.
      }
    };
    for (const pid of all) send(pid, "SIGSTOP");
    await delay(ms);
    for (const pid of all.toSorted(() => this.dice() - 0.5)) {
      send(pid, "SIGCONT");
      await delay(this.dice() * SLOW_START_MS);
    }
    return hosts.length > 0;
  }

  removeWorktree = async (): Promise<boolean> => this.project.removeWorktree(this.dice);
  removeBranch = async (): Promise<boolean> => this.project.removeBranch(this.dice);
  collect = async (): Promise<boolean> => this.project.collect();
  cutPush = async (): Promise<boolean> => this.project.cutPush(this.dice);
  fillWorktrees = (ms: number): Promise<boolean> => this.project.fillWorktrees(ms);

  harmWay = (way: WayName): Promise<boolean> => {
    this.downs += 1;
    return this.options.place.harmWay(way);
  };
  cutConnections = (): Promise<boolean> => this.options.place.cutConnections();
  databaseDown = (how: "stopped" | "killed", ms: number): Promise<boolean> => {
    this.downs += 1;
    return this.options.place.down(how, ms);
  };
  readOnly = (ms: number): Promise<boolean> => this.options.place.readOnly(ms);
  lockTables = (ms: number): Promise<boolean> => {
    this.downs += 1;
    return this.options.place.lock(ms);
  };
  fillDisk = (ms: number): Promise<boolean> => this.options.place.fill(ms);

  /** No further fault: all injected faults are over. */
  async settle(): Promise<void> {
    await Promise.all(this.thawing);
    this.calm = true;
  }

  private pick(): Host | undefined {
    const { alive } = this;
    return alive[Math.floor(this.dice() * alive.length)];
  }

  /** Whether others may start: the board is there, and the lead, unless they are to race for it. */
  async isOpen(): Promise<boolean> {
    if ((await this.unfinished()) === null) return false;
    if (this.options.plan.classes.has("early-resume")) return true;
    return inSnapshot(this.options.place.direct, async (ask) => {
      const leads = await ask(`select name from members where team = '${TEAM}' and kind = 'lead'`);
      return leads.length > 0;
    });
  }

  /** Tasks that are not over; null while there is no board or no database. */
  async unfinished(): Promise<number | null> {
    try {
      return await inSnapshot(this.options.place.direct, async (ask) => {
        const rows = await ask(`select status from tasks where team = '${TEAM}'`);
        return rows.length === 0
          ? null
          : rows.filter(({ status }) => /pending|in_prog/.test(String(status))).length;
      });
    } catch {
      return null;
    }
  }

  /** The number of facts in the journal; -1 while there is no database. */
  async facts(): Promise<number> {
    const text = `select count(*) as facts from events where team = '${TEAM}'`;
    const rows = await inSnapshot(this.options.place.direct, (ask) => ask(text)).catch(() => []);
    return Number(rows[0]?.facts ?? -1);
  }

  /** @throws where no process has made a board */
  async history(): Promise<History> {
    const { place, plan } = this.options;
    return {
      ...(await readTables(place.direct, TEAM)),
      requests: this.server.requests.map((request) => ({
        nth: request.nth,
        who: whoAsks(request),
        messages: [...request.messages],
      })),
      effects: readEffects(plan.effectsLog),
      landings: this.project.landings(),
      wanted: plan.tasks,
      splits: [...plan.splits],
    };
  }

  /** The faults that the checker finds, and processes that ended badly or had to be ended. */
  async judge(): Promise<{ faults: Fault[]; history: History }> {
    const running = this.alive;
    for (const { child } of running) child.kill("SIGKILL");
    await Promise.all(running.map(({ child }) => ended(child)));
    const history = await this.history();
    const processes = this.hosts.flatMap((host): Fault[] => {
      const { as, killed, code, output, hasDeadline } = host;
      if (killed || code === 0 || (code === STORE_CODE && this.isDownAtStart(output))) return [];
      if (hasDeadline && code === LIMIT_CODE) return [];
      // A task was failed or cancelled by hand, and all others had ended before it was tried again.
      if (this.has("by-hand") && code === 1) return [];
      const how = running.includes(host) ? "did not end" : `ended with ${code}`;
      const told = output.trim().split("\n").slice(-LATEST_LINES).join("\n    ");
      return [{ rule: "processes end well", what: `${as} ${how}:\n    ${told}` }];
    });
    const newer = this.newerEnds.map(
      (how): Fault => ({
        rule: "a newer version is refused",
        what: `it ended with ${how} beside hosts of this version`,
      }),
    );
    return { faults: [...check(history), ...processes, ...newer], history };
  }

  /** It says so and nothing else: it was started while the database was away, which ends it. */
  private isDownAtStart(output: string): boolean {
    const said = output.trim().replace(/\nekiden: stdout cannot be written: .*$/, "");
    return this.downs > 0 && /^ekiden: The store .* cannot be used: .*$/.test(said);
  }

  async close(): Promise<void> {
    const { dir } = this.options;
    await Promise.all(this.thawing);
    for (const host of this.alive) host.child.kill("SIGKILL");
    for (const pid of processesOf(`HOME=${dir}\0`))
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It ended meanwhile.
      }
    this.server.faults.length = 0; // the checker has judged the requests itself
    await this.server.close();
    await this.project.end();
    await this.options.place.end();
    takeAway(dir);
  }
}
