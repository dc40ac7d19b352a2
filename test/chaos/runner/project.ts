/** The project of a round: a repository with a runbook and a gate, a remote behind a network that cuts pushes, a small disk for its worktrees. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { namesIn, textIn } from "../../../src/adapters/small-files.ts";
import {
  type CuttingNetwork,
  cuttingNetwork,
  type GitDaemon,
  gitDaemon,
} from "../../fixtures/git-network.ts";
import { type Repository, repositoryIn } from "../../fixtures/repository.ts";
import { takeAway } from "../../fixtures/take-away.ts";
import type { Landings } from "../checker/history.ts";
import { readEffects, readLandings } from "../checker/read.ts";
import { mountSmall, type SmallDisk, skipped } from "./place.ts";
import { type Dice, runbookOf, type WorkPlan } from "./work.ts";

/** Bytes after which pushes are cut: in the list of branches, the command, the pack, or the answer. */
const CUTS = [
  { side: "server", bytes: 10 },
  { side: "client", bytes: 350 },
  { side: "client", bytes: 600 },
  { side: "server", bytes: 250 },
] as const;

export class ChaosProject {
  readonly dir: string;
  private readonly plan: WorkPlan;
  private readonly gateLog: string;
  private readonly repository: Repository;
  private readonly base: string;
  private readonly disk: SmallDisk | null;
  private remote: { bare: string; daemon: GitDaemon; network: CuttingNetwork } | null = null;

  private constructor(dir: string, plan: WorkPlan) {
    this.dir = join(dir, "project");
    this.plan = plan;
    this.gateLog = join(dir, "gate.log");
    this.repository = repositoryIn(this.dir, { ".gitignore": ".ekiden/\nplan.md\n" });
    this.base = this.repository.git("rev-parse", "HEAD");
    writeFileSync(join(this.dir, "plan.md"), runbookOf(plan));
    for (const words of plan.target) this.repository.git(...words);
    const isSmall = plan.landings && plan.classes.has("worktrees-full");
    if (isSmall) mkdirSync(this.trees, { recursive: true });
    this.disk = isSmall && skipped("worktrees-full", "sqlite") === null ? mountSmall(this.trees) : null;
  }

  /** The settings that it needs are written as the person's own: those of a project count only once the person has agreed. */
  static async open(dir: string, plan: WorkPlan, settings: object): Promise<ChaosProject> {
    const project = new ChaosProject(dir, plan);
    const gate = join(dir, "gate.sh");
    writeFileSync(
      gate,
      `for try in 1 2 3; do tree=$(git rev-parse 'HEAD^{tree}') && break; done\nif grep -qsr '^red$' out; then echo "$tree red" >> '${project.gateLog}'; echo 'gate.sh: red'; exit 1; fi\necho "$tree green" >> '${project.gateLog}'\n`,
    );
    if (plan.onRemote) await project.shareOnRemote(dir);
    const folder = join(dir, "config", "ekiden");
    mkdirSync(folder, { recursive: true });
    const landing = {
      worktrees: true,
      gate: `sh '${gate}'`,
      ...(plan.onRemote && { remote: "origin" }),
    };
    writeFileSync(
      join(folder, "settings.json"),
      JSON.stringify({ ...settings, ...(plan.landings && landing) }),
    );
    return project;
  }

  private async shareOnRemote(dir: string): Promise<void> {
    const bare = join(dir, "bare");
    this.repository.git("clone", "--quiet", "--bare", this.dir, bare);
    const daemon = await gitDaemon(dir);
    const network = await cuttingNetwork(daemon.port);
    this.repository.git("remote", "add", "origin", `git://127.0.0.1:${network.port}/bare`);
    this.remote = { bare, daemon, network };
  }

  private get trees(): string {
    return join(this.dir, ".ekiden", "worktrees");
  }

  /** The next pushes are cut in the middle. */
  cutPush(dice: Dice): boolean {
    const where = CUTS[Math.floor(dice() * CUTS.length)];
    if (!this.remote || !where) return false;
    this.remote.network.cut(where, 1 + Math.floor(dice() * 2));
    return true;
  }

  get pushCuts(): number {
    return this.remote?.network.cuts ?? 0;
  }

  async fillWorktrees(ms: number): Promise<boolean> {
    return (await this.disk?.fill(ms)) ?? false;
  }

  /** As a person does who tidies up. A command would fail in a folder that is gone, so it is one whose command has ended. */
  removeWorktree(dice: Dice): boolean {
    const chosen = this.endedTree(dice);
    if (chosen === null) return false;
    takeAway(join(this.trees, chosen));
    return true;
  }

  /** Its branch in the project, or the repository of its clone. The files stay. */
  removeBranch(dice: Dice): boolean {
    const chosen = this.endedTree(dice);
    if (chosen === null) return false;
    const git = join(this.trees, chosen, ".git");
    const [, branch] = /^ref: (.*)/.exec(textIn(join(git, "HEAD"))) ?? [];
    if (dice() < 0.5) takeAway(git);
    else if (branch === undefined) return false;
    else this.tries("update-ref", "-d", branch);
    return true;
  }

  /** As a git does that was killed in each place where it takes one. */
  leaveLocks(): boolean {
    const names = namesIn(this.trees).filter((name) => /^\d/.test(name));
    for (const name of names) {
      const git = join(this.trees, name, ".git");
      const [, branch = "HEAD"] = /^ref: (.*)/.exec(textIn(join(git, "HEAD"))) ?? [];
      for (const lock of ["index.lock", "HEAD.lock", "config.lock", `${branch}.lock`])
        if (existsSync(dirname(join(git, lock)))) writeFileSync(join(git, lock), "");
    }
    return names.length > 0;
  }

  /** A run of it that meets a lock does nothing. */
  collect(): boolean {
    this.tries("gc", "--prune=now", "--quiet");
    return this.plan.landings;
  }

  private endedTree(dice: Dice): string | null {
    const last = new Map(readEffects(this.plan.effectsLog).map(({ what, task }) => [task, what]));
    const found = namesIn(this.trees).filter((name) => last.get(Number(name.split("-")[0])) === "end");
    return found[Math.floor(dice() * found.length)] ?? null;
  }

  /** It may have landed meanwhile. */
  private tries(...words: string[]): void {
    try {
      this.repository.git(...words);
    } catch {
      // There is nothing to remove any more.
    }
  }

  landings(): Landings | null {
    const { dir, base, gateLog, remote, plan } = this;
    return plan.landings
      ? readLandings(dir, remote?.bare ?? dir, base, gateLog, plan.classes.has("odd-names"))
      : null;
  }

  async end(): Promise<void> {
    this.disk?.end();
    await this.remote?.network.end();
    await this.remote?.daemon.end();
  }
}
