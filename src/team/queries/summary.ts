/** The figures of one run, collected from its events: what it did, what it used, how long it took. */
import type { Event } from "../../core/event.ts";
import type { TaskId } from "../../core/ids.ts";
import { Spent } from "../../core/picture/spent.ts";
import { counted, money, tokens as short, span } from "../../core/views/view.ts";

export type Summary = {
  /** Files that tools have written or that landed tasks have changed. Files that a command wrote elsewhere are not known. */
  readonly files: number;
  /** Tasks whose branch has landed. */
  readonly landed: number;
  /** Tasks whose change may make its own tests or gate see less. */
  readonly signalled?: readonly TaskId[];
  readonly tokens: number;
  readonly usd: number;
  readonly ms: number;
  /** The file that the runbook names as its report. */
  readonly report?: string;
  /** Tests that were red and then green on the same files, or gates whose tests have no names. At most three. */
  readonly flaky?: readonly string[];
};

const FLAKY_SHOWN = 3;

export class RunSummary {
  private readonly began = Date.now();
  private readonly files = new Set<string>();
  private readonly commits: string[] = [];
  private readonly signalled = new Set<TaskId>();
  private readonly flaky = new Set<string>();
  private readonly spent = new Spent();

  take(events: readonly Event[]): void {
    for (const event of events) {
      this.spent.apply(event);
      if (event.type === "task.landed") this.commits.push(event.commit);
      else if (event.type === "task.signalled") this.signalled.add(event.task);
      else if (event.type === "gate.flaky") this.addFlaky(event.names, event.command);
      else if (event.type === "base.judged" && event.verdict === "flaky")
        this.addFlaky(event.names, event.gate);
      else if (event.type === "tool.called") for (const path of event.wrote ?? []) this.files.add(path);
    }
  }

  private addFlaky(names: readonly string[], gate: string): void {
    for (const name of names.length > 0 ? names : [gate]) this.flaky.add(name);
  }

  /** `cwd`: the project, whose repository knows the landed commits. */
  async figures(cwd: string, report?: string): Promise<Summary> {
    // A worktree's files are counted when they land, by their path in the project.
    const files = this.commits.length > 0 ? await filesOf(this.commits, cwd) : this.files;
    const { input, output, usd } = this.spent.total;
    const landed = this.commits.length;
    const ms = Date.now() - this.began;
    const flaky = [...this.flaky].slice(0, FLAKY_SHOWN);
    const signalled = [...this.signalled];
    return {
      ...{ files: files.size, landed, tokens: input + output, usd, ms },
      ...(signalled.length > 0 && { signalled }),
      ...(report && { report }),
      ...(flaky.length > 0 && { flaky }),
    };
  }
}

async function filesOf(commits: readonly string[], cwd: string): Promise<Set<string>> {
  const args = ["log", "--no-walk", "-m", "--first-parent", "--name-only", "--format=", ...commits];
  const { withGit } = await import("../../project/own-git.ts");
  const listed = await withGit(cwd, (git) => git.try(cwd, ...args)).catch(() => null);
  return new Set(listed?.code === 0 ? listed.out.split("\n").filter((line) => line !== "") : []);
}

/** "4 files changed · 2 tasks landed · 34k tokens · $0.42 · 3m12s" */
export function summaryText({ files, landed, signalled = [], tokens, usd, ms, flaky = [] }: Summary): string {
  const count = (n: number, what: string, then: string): string =>
    n === 0 ? "" : `${counted(n, what)} ${then}`;
  return [
    count(files, "file", "changed"),
    count(landed, "task", "landed"),
    signalled.length > 0 ? `tests or gate changed by ${signalled.map((id) => `#${id}`).join(", ")}` : "",
    tokens > 0 ? `${short(tokens)} tokens` : "",
    money(usd),
    span(ms),
    flaky.length > 0 ? `red and then green without a change: ${flaky.join(", ")}` : "",
  ]
    .filter((part) => part !== "")
    .join(" · ");
}
