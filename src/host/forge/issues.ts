/** Issues become tasks, once; those that are closed or lose their label before anybody has begun are dropped. */
import { isEkidenError } from "../../core/errors.ts";
import { outward } from "../../core/forge/clean.ts";
import type { Tracked } from "../../core/forge/memory.ts";
import { type Issue, repoName, type Words } from "../../core/forge/model.ts";
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
    const known = new Map<number, Tracked>();
    for (const one of await store.forge.all())
      if (one.repo === repo && one.issue !== null) known.set(one.issue, one);
    const found = await this.found();
    for (const issue of found.values()) {
      const before = known.get(issue.number);
      if (before?.state === "dropped" && before.status === "cancelled")
        await this.change(before, { state: "taken", retaken: true });
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
        `Issue #${issue.number} of ${repo} has the label ${settings.forgeLabel}, but its author ${issue.by?.login ?? "is gone"} may not write there: it became no task. Write it anew, or add the task with ekiden add.`,
      );
    const comments: Words[] = [];
    if (issue.comments > 0)
      for (const one of await forge.comments(issue.number))
        if (await this.trusted.has(one.by)) comments.push(one);
    await store.forge.take(repo, issue.number, taskOf(forge.repo, issue, comments));
  }

  /** Asked for itself: a list may be cut off. */
  private async drop(tracked: Tracked, label: string): Promise<void> {
    const { forge, settings } = this.parts;
    const issue = await forge.issue(tracked.issue ?? 0).catch((error: unknown) => {
      if (isEkidenError(error, "forge_refused")) return null;
      throw error;
    });
    const isMeant =
      issue?.labels.some((one) => one.toLowerCase() === label.toLowerCase()) ||
      issue?.assignees.some((one) => one.toLowerCase() === settings.forgeAssignee?.toLowerCase());
    if (issue?.isOpen && isMeant) return;
    const why = !issue ? "is not there any more" : issue.isOpen ? `lost the label ${label}` : "was closed";
    await this.change(tracked, { state: "dropped", cancelled: `Issue #${tracked.issue} ${why}.` });
  }

  /** Its task changed nothing: who wrote the issue learns why. */
  private async endEmpty(tracked: Tracked): Promise<void> {
    const { store } = this.parts;
    const done = await store.board.task(tracked.task);
    const body = `Nothing was changed. ${done && "result" in done ? outward(done.result, 3_000) : ""}`.trim();
    const target = { number: tracked.issue ?? 0 };
    await this.change(tracked, {
      state: "closed",
      send: tracked.issue === null ? [] : [{ key: "nothing", kind: "comment", target, body }],
    });
  }

  private change({ task }: Tracked, change: Parameters<ForgeParts["store"]["forge"]["change"]>[2]) {
    const { store, host } = this.parts;
    return store.forge.change(host, task, change);
  }

  private async tellOnce(text: string): Promise<void> {
    if (this.told.has(text)) return;
    this.told.add(text);
    await this.parts.tell(text);
  }
}
