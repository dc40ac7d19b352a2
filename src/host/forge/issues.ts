/** Issues become tasks, once; those that are closed or lose their label before anybody has begun are dropped. */
import { orElse } from "../../core/errors.ts";
import { outward } from "../../core/forge/clean.ts";
import type { Change, Tracked } from "../../core/forge/memory.ts";
import { type Issue, repoName } from "../../core/forge/model.ts";
import { taskOf } from "../../core/forge/words.ts";
import type { ForgeParts, People } from "./parts.ts";

export class Issues {
  private readonly parts: ForgeParts;
  private readonly people: People;

  constructor(parts: ForgeParts, people: People) {
    this.parts = parts;
    this.people = people;
  }

  async take(): Promise<void> {
    const { store, forge, settings } = this.parts;
    const repo = repoName(forge.repo);
    const ours = (await store.forge.all()).filter((one) => one.repo === repo && one.issue !== null);
    const known = new Map(ours.map((one) => [one.issue, one]));
    const { forgeLabel: labels, forgeAssignee: assignee } = settings;
    const all = [...(await forge.issues({ labels })), ...(assignee ? await forge.issues({ assignee }) : [])];
    const found = new Map(all.sort((a, b) => a.number - b.number).map((issue) => [issue.number, issue]));
    for (const issue of found.values()) {
      const before = known.get(issue.number);
      if (before?.state === "dropped" && before.status === "cancelled")
        await this.change(before, { state: "taken" });
      else if (!before) await this.takeOne(repo, issue);
    }
    for (const one of known.values())
      if (one.state !== "taken") continue;
      else if (one.status === "completed") await this.endEmpty(one);
      else if (one.status === "pending" && !found.has(one.issue ?? 0)) await this.drop(one);
  }

  private async takeOne(repo: string, issue: Issue): Promise<void> {
    const { store, forge, settings } = this.parts;
    if (!(await this.people.trusts(issue.by)))
      return await this.people.tellOnce(
        `Issue #${issue.number} of ${repo} has the label ${settings.forgeLabel}, but its author ${issue.by?.login ?? "is gone"} may not write there, so it did not become a task. File it yourself, or add the task with ekiden add.`,
      );
    const all = issue.comments > 0 ? await forge.comments(issue.number) : [];
    const trusted = await this.people.trusted(all.map(({ by }) => by));
    const comments = all.filter(({ by }) => by !== null && trusted.has(by.id));
    await store.forge.take(repo, issue.number, taskOf(forge.repo, issue, comments));
  }

  /** Asked for itself: a list may be cut off. */
  private async drop(tracked: Tracked): Promise<void> {
    const { forge, settings } = this.parts;
    const issue = await orElse(forge.issue(tracked.issue ?? 0), "forge_refused", null);
    const has = (all: readonly string[] = [], name?: string): boolean =>
      all.some((one) => one.toLowerCase() === name?.toLowerCase());
    const isMeant = has(issue?.labels, settings.forgeLabel) || has(issue?.assignees, settings.forgeAssignee);
    if (issue?.isOpen && isMeant) return;
    const left = issue?.isOpen ? `lost the label ${settings.forgeLabel}` : "is closed or confidential";
    const cancelled = `Issue #${tracked.issue} ${issue ? left : "no longer exists"}.`;
    await this.change(tracked, { state: "dropped", cancelled });
  }

  /** Its task changed nothing: who wrote the issue learns why. */
  private async endEmpty(tracked: Tracked): Promise<void> {
    const done = await this.parts.store.board.task(tracked.task);
    const body = `Nothing was changed. ${done && "result" in done ? outward(done.result, 3_000) : ""}`.trim();
    const target = { number: tracked.issue ?? 0, on: "issue" };
    await this.change(tracked, {
      state: "closed",
      send: [{ key: "nothing", kind: "comment", target, body }],
    });
  }

  private change({ task }: Tracked, change: Change): Promise<boolean> {
    const { store, host } = this.parts;
    return store.forge.change(host, task, change);
  }
}
