/**
 * The outcome of a team: its runs, and which task changed which file, folded from the journal and kept, so that each look reads only
 * what was added; with what the folder has changed since, as git shows it.
 */
import { isAbsolute, relative, resolve } from "node:path";
import type { Git } from "../../adapters/git/git.ts";
import { folderDiff } from "../../adapters/git/work-diff.ts";
import { textOf } from "../../core/conversation/chat.ts";
import type { Event, FactType } from "../../core/event.ts";
import { LEAD } from "../../core/ids.ts";
import { Drift } from "../../core/plan/drift.ts";
import type { Outcome } from "../../core/views/outcome.ts";
import type { Store } from "../../ports/index.ts";
import { withGit } from "../../project/own-git.ts";
import { journalReader } from "./journal-reader.ts";
import { lastLeak } from "./last-leak.ts";
import type { ShowDiff } from "./shown-diff.ts";

const DIFF_MAX = 2_000_000;
const LAST_ENTRIES = 60;
const BLAMED_MAX = 100;

type Run = {
  readonly began: number;
  ended: number | null;
  reason: string;
  /** The first commit that landed in it. */
  landed: string | undefined;
  /** The last fact of its members. A process that was killed told no end. */
  worked: number;
  usd: number;
  tokens: number;
};
const begun = (began: number): Run => ({
  ...{ began, ended: null, reason: "", landed: undefined, worked: began, usd: 0, tokens: 0 },
});
const WORK: ReadonlySet<FactType> = new Set(["turn.taken", "tool.called", "teammate.phase"]);

export class OutcomeReader {
  private readonly store: Store;
  private readonly cwd: string;
  private readonly caughtUp: () => Promise<void>;
  private readonly runs: Run[] = [];
  private readonly claims = new Map<string, number>();
  /** By path that tools wrote, relative to the project: the tasks that wrote it, latest last. */
  private readonly writers = new Map<string, Set<number>>();
  private readonly results = new Map<number, string>();
  private readonly drift = new Drift();
  private readonly landed: { readonly task: number; readonly commit: string }[] = [];
  /** By commit that landed. */
  private readonly commits = new Map<string, number>();

  private readonly show: ShowDiff;

  /** `show`: for people at other places than this terminal. */
  constructor(store: Store, cwd: string, show: ShowDiff = (diff) => diff) {
    this.store = store;
    this.cwd = cwd;
    this.show = show;
    this.caughtUp = journalReader(store, (event) => this.take(event));
  }

  /** The last run, without asking git. */
  async lastRun(): Promise<Pick<Outcome, "began" | "ended" | "worked"> & { readonly usdBefore: number }> {
    await this.caughtUp();
    const last = this.runs.at(-1);
    const usdBefore = this.runs.slice(0, -1).reduce((sum, { usd }) => sum + usd, 0);
    const [began, ended, worked] = [last?.began ?? null, last?.ended ?? null, last?.worked ?? null];
    return { began, ended, worked, usdBefore };
  }

  /** `isWhole`: all runs, not only the last one. */
  async read(isWhole: boolean): Promise<Outcome> {
    await this.caughtUp();
    const runs = isWhole ? this.runs : this.runs.slice(-1);
    const [run, last] = [runs[0], this.runs.at(-1)];
    const said = (await this.store.transcript.last(LEAD, LAST_ENTRIES))
      .map(({ entry }) => (entry.kind === "said" ? textOf(entry.message).trim() : ""))
      .findLast((text) => text !== "");
    const [diff, prefix, tasks] = await withGit(this.cwd, async (git) => {
      const changed = run ? await folderDiff(git, this.cwd, run.began, run.landed).catch(() => null) : null;
      const asked = changed === null ? null : git.try(this.cwd, "rev-parse", "--show-prefix");
      const below = (await asked?.catch(() => null))?.out.trim() || "";
      return [changed, below, await this.tasksOf(git)] as const;
    });
    const shown = diff === null ? null : this.show(diff, prefix);
    return {
      runs: this.runs.length,
      began: run?.began ?? null,
      ended: last?.ended ?? null,
      worked: last?.worked ?? null,
      reason: last?.reason ?? "",
      usd: runs.reduce((sum, one) => sum + one.usd, 0),
      tokens: runs.reduce((sum, one) => sum + one.tokens, 0),
      results: Object.fromEntries(this.results),
      beside: Object.fromEntries(this.drift.files),
      words: said ?? "",
      leak: lastLeak(this.cwd),
      diff: shown?.slice(0, DIFF_MAX) ?? null,
      cut: (shown?.length ?? 0) > DIFF_MAX,
      tasks: Object.fromEntries([...tasks].map(([path, ids]) => [prefix + path, [...ids]])),
    };
  }

  /**
   * Who wrote which line of these files, a path as `read` names it: the task whose landed commit the line is of, as git blames it, else the
   * one that changed the file last; null for none.
   */
  async writersOf(paths: readonly string[]): Promise<(path: string, line: number) => number | null> {
    const { tasks } = await this.read(true);
    // Of a file that one task wrote, each line is its own.
    const shared = [...new Set(paths)].filter((path) => (tasks[path]?.length ?? 0) > 1).slice(0, BLAMED_MAX);
    const blamed = await withGit(this.cwd, async (git) => {
      const prefix = (await git.ask(this.cwd, "rev-parse", "--show-prefix").catch(() => null)) ?? "";
      const found = new Map<string, readonly string[]>();
      for (const path of shared) {
        const own = path.startsWith(prefix) ? path.slice(prefix.length) : path;
        const ran = await git.try(this.cwd, "blame", "-l", "-s", "--root", "--", own).catch(() => null);
        if (ran?.code === 0)
          found.set(
            path,
            ran.out.split("\n").map((line) => line.split(" ", 1)[0] ?? ""),
          );
      }
      return found;
    });
    return (path, line) =>
      this.commits.get(blamed.get(path)?.[line - 1] ?? "") ?? tasks[path]?.at(-1) ?? null;
  }

  private take(event: Event): void {
    const last = this.runs.at(-1);
    if (last && WORK.has(event.type)) last.worked = event.at;
    this.drift.take(event);
    switch (event.type) {
      case "team.resumed":
        this.runs.push(begun(event.at));
        break;
      case "task.added":
      case "teammate.spawned":
        // A board is filled before its first run.
        if (this.runs.length === 0) this.runs.push(begun(event.at));
        break;
      case "team.finished": {
        const run = this.runs.at(-1);
        if (run) [run.ended, run.reason] = [event.at, event.reason];
        break;
      }
      case "turn.taken":
        if (last) last.usd += event.usd;
        if (last) last.tokens += event.inputTokens + event.outputTokens;
        break;
      case "task.completed":
        this.results.set(event.task, event.result.trim().split("\n")[0] ?? "");
        break;
      case "task.claimed":
        this.claims.set(event.by, event.task);
        break;
      case "task.landed": {
        const run = this.runs.at(-1);
        if (run) run.landed ??= event.commit;
        this.landed.push({ task: event.task, commit: event.commit });
        this.commits.set(event.commit, event.task);
        break;
      }
      case "tool.called": {
        const task = this.claims.get(event.who);
        if (task === undefined || event.isError) break;
        for (const path of event.wrote ?? []) this.wrote(this.ours(path), task);
      }
    }
  }

  private wrote(path: string, task: number): void {
    const known = this.writers.get(path) ?? new Set();
    known.delete(task);
    this.writers.set(path, known.add(task));
  }

  /** A work tree has the paths of the project. */
  private ours(path: string): string {
    const inTree = /\.ekiden\/worktrees\/[^/]+\/(.+)$/.exec(path)?.[1];
    return inTree ?? relative(this.cwd, isAbsolute(path) ? path : resolve(this.cwd, path));
  }

  /** With the files of landed commits, which also commands may have written. */
  private async tasksOf(git: Git): Promise<ReadonlyMap<string, ReadonlySet<number>>> {
    for (const { task, commit } of this.landed.splice(0)) {
      const args = ["show", "-m", "--first-parent", "--name-only", "--format=", "--relative", commit];
      const listed = await git.try(this.cwd, ...args).catch(() => null);
      for (const path of listed?.code === 0 ? listed.out.split("\n") : [])
        if (path !== "") this.wrote(path, task);
    }
    return this.writers;
  }
}
