/** Issues become tasks, once; those that are closed or lose their label before anybody has begun are dropped. */
import { orElse } from "../../core/errors.ts";
import { outward } from "../../core/forge/clean.ts";
import type { Change, Tracked } from "../../core/forge/memory.ts";
import { type Issue, repoName } from "../../core/forge/model.ts";
import { taskOf } from "../../core/forge/words.ts";
import type { ForgeParts } from "./parts.ts";
import type { Trusted } from "./trusted.ts";

export class Issues {
  private readonly parts: ForgeParts;
  private readonly trusted: Trusted;
  private readonly told = new Set<string>();

  constructor(parts: ForgeParts, trusted: Trusted) {
    this.parts = parts;
    this.trusted = trusted;
  }

  async take(): Promise<void> {
    const { store, forge, settings } = this.parts;
    const repo = repoName(forge.repo);
    const ours = (await store.forge.all()).filter((one) => one.repo === repo && one.issue !== null);
    const known = new Map(ours.map((one) => [one.issue, one]));
    const found = await this.found();
    for (const issue of found.values()) {
      const before = known.get(issue.number);
      if (before?.state === "dropped" && before.status === "cancelled")
        await this.change(before, { state: "taken" });
      else if (!before) await this.takeOne(repo, issue);
    }
    for (const one of known.values())
      if (one.state === "taken" && one.status === "pending" && !found.has(one.issue ?? 0))
        await this.drop(one, settings.forgeLabel);
      else if (one.state === "taken" && one.status === "completed") await this.endEmpty(one);
  }

  private async found(): Promise<ReadonlyMap<number, Issue>> {
    const { forge, settings } = this.parts;
    const all = [...(await forge.issues({ labels: settings.forgeLabel }))];
    if (settings.forgeAssignee) all.push(...(await forge.issues({ assignee: settings.forgeAssignee })));
    all.sort((a, b) => a.number - b.number);
    return new Map(all.map((issue) => [issue.number, issue]));
  }

  private async takeOne(repo: string, issue: Issue): Promise<void> {
    const { store, forge, settings } = this.parts;
    if (!(await this.trusted.has(issue.by)))
      return await this.tellOnce(
        `Issue #${issue.number} of ${repo} has the label ${settings.forgeLabel}, but its author ${issue.by?.login ?? "is gone"} may not write there, so it did not become a task. File it yourself, or add the task with ekiden add.`,
      );
    const all = issue.comments > 0 ? await forge.comments(issue.number) : [];
    const trusted = await this.trusted.of(all.map(({ by }) => by));
    const comments = all.filter(({ by }) => by !== null && trusted.has(by.id));
    await store.forge.take(repo, issue.number, taskOf(forge.repo, issue, comments));
  }

  /** Asked for itself: a list may be cut off. */
  private async drop(tracked: Tracked, label: string): Promise<void> {
    const { forge, settings } = this.parts;
    const issue = await orElse(forge.issue(tracked.issue ?? 0), "forge_refused", null);
    const has = (all: readonly string[] = [], name?: string): boolean =>
      all.some((one) => one.toLowerCase() === name?.toLowerCase());
    const isMeant = has(issue?.labels, label) || has(issue?.assignees, settings.forgeAssignee);
    if (issue?.isOpen && isMeant) return;
    const why = !issue
      ? "no longer exists"
      : issue.isOpen
        ? `lost the label ${label}`
        : "is closed or confidential";
    await this.change(tracked, { state: "dropped", cancelled: `Issue #${tracked.issue} ${why}.` });
  }

  /** Its task changed nothing: who wrote the issue learns why. */
  private async endEmpty(tracked: Tracked): Promise<void> {
    const { store } = this.parts;
    const done = await store.board.task(tracked.task);
    const body = `Nothing was changed. ${done && "result" in done ? outward(done.result, 3_000) : ""}`.trim();
    const target = { number: tracked.issue ?? 0, on: "issue" };
    await this.change(tracked, {
      state: "closed",
      send: tracked.issue === null ? [] : [{ key: "nothing", kind: "comment", target, body }],
    });
  }

  private change({ task }: Tracked, change: Change): Promise<boolean> {
    const { store, host } = this.parts;
    return store.forge.change(host, task, change);
  }

  private async tellOnce(text: string): Promise<void> {
    if (!this.told.has(text)) await this.parts.tell(text);
    this.told.add(text);
  }
}
