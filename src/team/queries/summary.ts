/** The figures of one run, collected from its events: what it did, what it used, how long it took. */
import { relative, resolve } from "node:path";
import type { Event } from "../../core/event.ts";
import type { RedTarget } from "../../core/gate/red-target.ts";
import type { TaskId } from "../../core/ids.ts";
import { Spent } from "../../core/picture/spent.ts";
import { Drift } from "../../core/plan/drift.ts";
import { listed } from "../../core/text/listed.ts";
import type { LeakShown } from "../../core/views/leak.ts";
import { counted, money, tokens as short, span } from "../../core/views/view.ts";
import { FLAKY_SHOWN, flakyIn } from "./flaky.ts";
import { lastLeak } from "./last-leak.ts";

export type Summary = {
  /** Files that calls have changed or that landed tasks have changed. Files that a command wrote in another process are not known. */
  readonly files: number;
  /** Tasks whose branch has landed. */
  readonly landed: number;
  /** Tasks whose change may make its own tests or gate see less. */
  readonly signalled?: readonly TaskId[];
  /** The files that landed or proposed tasks changed beside those that they name, by task. */
  readonly drifted?: Readonly<Record<string, readonly string[]>>;
  readonly tokens: number;
  readonly usd: number;
  readonly ms: number;
  /** The file that the runbook names as its report. */
  readonly report?: string;
  /** Tests that were red and then green on the same files, or gates whose tests have no names. At most three. */
  readonly flaky?: readonly string[];
  /** Targets whose gate failed without any task: "main (1a2b3c4, by ann)". */
  readonly redTargets?: readonly string[];
  /** The last measure of how much the gate lets through, where something has landed. */
  readonly leak?: LeakShown;
};

/** Lines that no test noticed. */
const LINES_SHOWN = 3;

export class RunSummary {
  private readonly began = Date.now();
  private readonly wrote: string[] = [];
  private readonly commits: string[] = [];
  private readonly signalled = new Set<TaskId>();
  private readonly drift = new Drift();
  private readonly ended = new Set<TaskId>();
  private readonly flaky = new Set<string>();
  private readonly red: RedTarget[] = [];
  private readonly spent = new Spent();

  take(events: readonly Event[]): void {
    for (const event of events) {
      this.spent.apply(event);
      this.drift.take(event);
      if (event.type === "task.landed" || event.type === "task.proposed") this.ended.add(event.task);
      for (const name of flakyIn(event)) this.flaky.add(name);
      if (event.type === "task.landed") this.commits.push(event.commit);
      else if (event.type === "task.signalled") this.signalled.add(event.task);
      else if (event.type === "base.judged" && event.verdict === "red") this.red.push(event);
      else if (event.type === "tool.called") this.wrote.push(...(event.wrote ?? []));
    }
  }

  private written(cwd: string, changed: Iterable<string>): Set<string> {
    return new Set([...changed, ...this.wrote.map((path) => relative(cwd, resolve(cwd, path)))]);
  }

  /** `cwd`: the project, whose repository knows the landed commits. `changed`: files that calls of this process changed. */
  async figures(cwd: string, report?: string, changed: Iterable<string> = []): Promise<Summary> {
    // A worktree's files are counted when they land, by their path in the project.
    const files = this.commits.length > 0 ? await filesOf(this.commits, cwd) : this.written(cwd, changed);
    const { input, output, usd } = this.spent.total;
    const landed = this.commits.length;
    const ms = Date.now() - this.began;
    const flaky = [...this.flaky].slice(0, FLAKY_SHOWN);
    const signalled = [...this.signalled];
    const drifted = [...this.drift.files].filter(([task]) => this.ended.has(task));
    const leak = landed > 0 ? lastLeak(cwd) : null;
    return {
      ...(leak && { leak }),
      ...{ files: files.size, landed, tokens: input + output, usd, ms },
      ...(signalled.length > 0 && { signalled }),
      ...(drifted.length > 0 && { drifted: Object.fromEntries(drifted) }),
      ...(report && { report }),
      ...(flaky.length > 0 && { flaky }),
      ...(this.red.length > 0 && { redTargets: this.red.map(redText) }),
    };
  }
}

const redText = ({ target, commit, author }: RedTarget): string =>
  `${target} (${commit.slice(0, 7)}, by ${author})`;

async function filesOf(commits: readonly string[], cwd: string): Promise<Set<string>> {
  const args = ["log", "--no-walk", "-m", "--first-parent", "--name-only", "--format=", ...commits];
  const { withGit } = await import("../../project/own-git.ts");
  const listed = await withGit(cwd, (git) => git.try(cwd, ...args)).catch(() => null);
  return new Set(listed?.code === 0 ? listed.out.split("\n").filter((line) => line !== "") : []);
}

/** "4 files changed · 2 tasks landed · 34k tokens · $0.42 · 3m12s" */
export function summaryText(summary: Summary): string {
  const {
    files,
    landed,
    signalled = [],
    drifted = {},
    tokens,
    usd,
    ms,
    flaky = [],
    redTargets = [],
    leak,
  } = summary;
  const beside = Object.entries(drifted).map(([task, paths]) => `#${task} (${listed(paths, 8)})`);
  const count = (n: number, what: string, then: string): string =>
    n === 0 ? "" : `${counted(n, what)} ${then}`;
  return [
    count(files, "file", "changed"),
    count(landed, "task", "landed"),
    signalled.length > 0 ? `tests or gate changed by ${signalled.map((id) => `#${id}`).join(", ")}` : "",
    beside.length > 0 ? `files that the task does not name: ${beside.join(", ")}` : "",
    redTargets.length > 0 ? `red without any task: ${redTargets.join(", ")}` : "",
    tokens > 0 ? `${short(tokens)} tokens` : "",
    money(usd),
    span(ms),
    leak ? [leak.words, ...leak.lines.slice(0, LINES_SHOWN)].join("; ") : "",
    flaky.length > 0 ? `red and then green without a change: ${flaky.join(", ")}` : "",
  ]
    .filter((part) => part !== "")
    .join(" · ");
}
