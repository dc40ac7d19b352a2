/** One round's world: a project, a store, a model server, and the host processes that faults are injected into. */
import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, openSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { descendantsOf, processesOf } from "../../../src/adapters/process-table.ts";
import { namesIn, textIn } from "../../../src/adapters/small-files.ts";
import { type ModelServer, startModelServer } from "../../fixtures/model-server/index.ts";
import { repositoryIn } from "../../fixtures/repository.ts";
import { takeAway } from "../../fixtures/take-away.ts";
import { check } from "../checker/check.ts";
import type { Fault, History } from "../checker/history.ts";
import { inSnapshot, readEffects, readLandings, readTables } from "../checker/read.ts";
import type { Place } from "./place.ts";
import { type Dice, programOf, runbookOf, type WorkPlan, whoAsks } from "./work.ts";

const PROGRAM = resolve(import.meta.dirname, "../../../dist/main.js");
const TEAM = "default";
const LATEST_LINES = 12;
/** How long a git is looked for: each runs for some milliseconds. */
const GIT_MS = 500;
/** Times that an order is given before it is given up. */
const ORDERS_MAX = 60;
/** Between one process of a machine that stood still and the next. */
const SLOW_START_MS = 40;

type Host = {
  readonly child: ChildProcess;
  readonly as: string;
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
  /** Of this round, unless a class asks for more. */
  readonly mostKills: number;
  modelFaults = 0;
  kills = 0;
  private downs = 0;
  private calm = false;
  private readonly options: WorldOptions;
  private readonly base: string;
  private server!: ModelServer;
  private readonly thawing: Promise<unknown>[] = [];

  private constructor(options: WorldOptions, base: string) {
    this.options = options;
    this.base = base;
    this.leaseMs = options.leaseMs;
    this.dice = options.dice;
    const { isRunbook, members, classes } = options.plan;
    this.isRunbook = isRunbook;
    const isAlone = members.length === 2;
    this.mostKills = isAlone || classes.has("takeover") ? (isRunbook ? 2 : Number.POSITIVE_INFINITY) : 0;
  }

  static async open(options: WorldOptions): Promise<World> {
    const { dir, plan, leaseMs, dice } = options;
    const project = join(dir, "project");
    const gate = join(dir, "gate.sh");
    writeFileSync(
      gate,
      `tree=$(git rev-parse 'HEAD^{tree}')\nif grep -qsr '^red$' out; then echo "$tree red" >> '${dir}/gate.log'; echo 'gate.sh: red'; exit 1; fi\necho "$tree green" >> '${dir}/gate.log'\n`,
    );
    const repository = repositoryIn(project, { ".gitignore": ".ekiden/\nplan.md\n" });
    const settings = {
      leaseMs,
      maxAttempts: 1_000,
      idlePollMs: 500,
      idleTimeoutMs: "never",
      progressTimeoutMs: 5_000,
      permissionMode: "bypass",
      ...(plan.landings && { worktrees: true, gate: `sh '${gate}'` }),
    };
    // The person's own settings: those of a project count only once the person has agreed to them.
    const folder = join(dir, "config", "ekiden");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "settings.json"), JSON.stringify(settings));
    writeFileSync(join(project, "plan.md"), runbookOf(plan));
    const world = new World(options, repository.git("rev-parse", "HEAD"));
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
    const isFull = this.options.plan.classes.has("output-full") && this.dice() < 0.3;
    const full = isFull ? openSync("/dev/full", "w") : null;
    const child = this.program(args, ["ignore", full ?? "pipe", "pipe"]);
    if (full !== null) closeSync(full);
    const host: Host = { child, as, killed: false, output: "", code: undefined };
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk: Buffer) => {
        host.output = (host.output + chunk.toString()).slice(-8_000);
      });
    child.once("exit", (code) => {
      host.code = code;
    });
    this.hosts.push(host);
  }

  private program(args: readonly string[], stdio: StdioOptions): ChildProcess {
    const { dir, place } = this.options;
    return spawn(process.execPath, [PROGRAM, "--cwd", join(dir, "project"), ...args], {
      cwd: dir,
      env: {
        PATH: process.env.PATH,
        HOME: dir,
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

  /** As a person does who tidies up. A command would fail in a folder that is gone, so it is one whose command has ended. */
  async removeWorktree(): Promise<boolean> {
    const { dir, plan } = this.options;
    const trees = join(dir, "project", ".ekiden", "worktrees");
    const ended = new Set(
      readEffects(plan.effectsLog).flatMap(({ what, task }) => (what === "end" ? [task] : [])),
    );
    const found = namesIn(trees).filter((name) => ended.has(Number(name.split("-")[0])));
    const chosen = found[Math.floor(this.dice() * found.length)];
    if (chosen === undefined) return false;
    takeAway(join(trees, chosen));
    return true;
  }

  /** Of a person, in a program of its own. A task is given to a member of the process that goes on to the end. */
  async order(): Promise<boolean> {
    if (this.options.plan.isRunbook) return false;
    const pick = async (status: string): Promise<string | undefined> => {
      const found = await inSnapshot(this.options.place.url, (ask) =>
        ask(`select id from tasks where team = '${TEAM}' and status = '${status}'`),
      ).catch(() => []);
      const id = found[Math.floor(this.dice() * found.length)]?.id;
      return id === undefined ? undefined : String(id);
    };
    const kind = Math.floor(this.dice() * 4);
    const id = await pick(kind === 3 ? "pending" : "in_progress");
    if (id === undefined) return false;
    if (kind === 3) return (await this.says("take", id)) && (await this.givesBack(id));
    if (kind === 0) return this.says("release", id);
    if (kind === 1) return this.says("edit", id, "--description", "Do it soon.");
    return this.says("edit", id, "--assign", this.options.plan.members[this.dice() < 0.5 ? 0 : 1] ?? "");
  }

  private async says(...words: string[]): Promise<boolean> {
    const child = this.program(words, "ignore");
    await ended(child);
    return child.exitCode === 0;
  }

  /** Until it is heard: the database may be away. */
  private async givesBack(id: string): Promise<boolean> {
    for (let left = ORDERS_MAX; left > 0; left -= 1) {
      if (await this.says("release", id)) return true;
      await delay(500);
    }
    return false;
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

  async freezeOne(ms: number): Promise<boolean> {
    const host = this.pick();
    if (!host) return false;
    host.child.kill("SIGSTOP");
    this.thawing.push(delay(ms).then(() => host.child.kill("SIGCONT")));
    return true;
  }

  /** As on a machine that stands still: hosts, their wardens and their commands stop at once and go on one after the other. */
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

  /** No further fault: whatever was injected is over. */
  async settle(): Promise<void> {
    await Promise.all(this.thawing.splice(0));
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
    return inSnapshot(this.options.place.url, async (ask) => {
      const leads = await ask(`select name from members where team = '${TEAM}' and kind = 'lead'`);
      return leads.length > 0;
    });
  }

  /** Tasks that are not over; null while there is no board or no database. */
  async unfinished(): Promise<number | null> {
    try {
      return await inSnapshot(this.options.place.url, async (ask) => {
        const rows = await ask(`select status from tasks where team = '${TEAM}'`);
        return rows.length === 0
          ? null
          : rows.filter(({ status }) => /pending|in_prog/.test(String(status))).length;
      });
    } catch {
      return null;
    }
  }

  async history(): Promise<History> {
    const { dir, place, plan } = this.options;
    const project = join(dir, "project");
    return {
      ...(await readTables(place.url, TEAM)),
      requests: this.server.requests.map((request) => ({
        nth: request.nth,
        who: whoAsks(request),
        messages: [...request.messages],
      })),
      effects: readEffects(plan.effectsLog),
      landings: plan.landings ? readLandings(project, this.base, join(dir, "gate.log")) : null,
      wanted: plan.tasks,
    };
  }

  /** What the checker says, and which processes ended badly or had to be ended. */
  async judge(): Promise<{ faults: Fault[]; history: History }> {
    const running = this.alive;
    for (const { child } of running) child.kill("SIGKILL");
    await Promise.all(running.map(({ child }) => ended(child)));
    const history = await this.history();
    const processes = this.hosts.flatMap((host): Fault[] => {
      const { as, killed, code, output } = host;
      if (killed || code === 0 || (code === 5 && this.isDownAtStart(output))) return [];
      const how = running.includes(host) ? "did not end" : `ended with ${code}`;
      const told = output.trim().split("\n").slice(-LATEST_LINES).join("\n    ");
      return [{ rule: "processes end well", what: `${as} ${how}:\n    ${told}` }];
    });
    return { faults: [...check(history), ...processes], history };
  }

  /** It says so and nothing else: it was started while the database was away, which ends it. */
  private isDownAtStart(output: string): boolean {
    return this.downs > 0 && /^ekiden: The store .* cannot be used: .*$/.test(output.trim());
  }

  async close(): Promise<void> {
    const { dir } = this.options;
    await Promise.all(this.thawing);
    for (const host of this.alive) host.child.kill("SIGKILL");
    for (const pid of processesOf(new Set(), `HOME=${dir}\0`))
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It ended meanwhile.
      }
    this.server.faults.length = 0; // the checker has judged the requests itself
    await this.server.close();
    await this.options.place.end();
    takeAway(dir);
  }
}
