/** Watches the forge for a team: issues become tasks, requests are looked at, what follows is decided by core/forge and sent. */
import { isEkidenError, messageOf } from "../../core/errors.ts";
import type { Trust } from "../../core/forge/asks.ts";
import type { Tracked } from "../../core/forge/memory.ts";
import {
  type Author,
  type Check,
  type Issue,
  type Request,
  repoName,
  type Words,
} from "../../core/forge/model.ts";
import {
  type Act,
  checksOf,
  isMoving,
  type Rules,
  reduce,
  type Seen,
  wantsLogs,
} from "../../core/forge/reduce.ts";
import { settle, type Times } from "../../core/forge/settle.ts";
import { taskOf } from "../../core/forge/words.ts";
import type { Change } from "../../ports/index.ts";
import type { ForgeParts } from "./parts.ts";
import { LEASE_MS, sendAll } from "./send.ts";

const TRUST_MS = 10 * 60_000;
const FULL_LOOKS = 10;
const AWAY_MAX = 10;
const LOGS_MAX = 5;

export class ForgeWatch {
  private readonly parts: ForgeParts;
  private readonly trusted = new Map<number, { readonly mayWrite: boolean; readonly at: number }>();
  private readonly told = new Set<string>();
  private issuesAt = Number.NEGATIVE_INFINITY;
  private lookAt = Number.NEGATIVE_INFINITY;
  private failures = 0;
  private hasLooked = false;

  constructor(parts: ForgeParts) {
    this.parts = parts;
  }

  /** Until the signal aborts. Errors of the forge become one warning, and it is asked less often. */
  async run(signal: AbortSignal): Promise<void> {
    const { store, clock, settings } = this.parts;
    while (!signal.aborted) {
      const mark = store.wake.mark();
      let waitMs = settings.forgePollMs;
      try {
        await this.step();
        if (this.hasLooked) this.parts.onStep?.();
        if (this.failures > 0) await this.parts.tell("The forge answers again.");
        this.failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        waitMs = await this.failed(error);
        this.lookAt = clock.now() + waitMs;
        await clock.sleep(waitMs, signal);
        continue;
      }
      const left = Math.max(50, this.lookAt - clock.now());
      await store.wake.changed(mark, ["forge"], Math.min(waitMs, left, LEASE_MS / 2), signal);
    }
  }

  private async failed(error: unknown): Promise<number> {
    const { settings, tell } = this.parts;
    this.failures += 1;
    if (this.failures === 1)
      await tell(`The forge cannot be used now, and is asked again: ${messageOf(error)}`);
    const backoff = settings.forgePollMs * 2 ** Math.min(this.failures - 1, 4);
    const asked = isEkidenError(error) ? error.details.retryAfterMs : undefined;
    return asked ?? Math.min(backoff, AWAY_MAX * settings.forgePollMs);
  }

  /** What is due now. @throws EkidenError `forge_away` | `forge_refused` */
  async step(): Promise<void> {
    const { store, clock, host, settings } = this.parts;
    if (!(await store.forge.lead(host, LEASE_MS))) return;
    await sendAll(this.parts);
    const now = clock.now();
    if (now < this.lookAt) return;
    if (now >= this.issuesAt) {
      await this.takeIssues();
      this.issuesAt = now + 4 * settings.forgePollMs;
    }
    await this.lookAtAll();
    await sendAll(this.parts);
    this.lookAt = clock.now() + settings.forgePollMs;
    this.hasLooked = true;
  }

  private async takeIssues(): Promise<void> {
    const { store, forge, settings } = this.parts;
    const repo = repoName(forge.repo);
    const known = new Set(
      (await store.forge.all()).flatMap((one) => (one.repo === repo ? (one.issue ?? []) : [])),
    );
    for (const issue of await forge.issues(settings.forgeLabel)) {
      if (known.has(issue.number)) continue;
      if (await this.isTrusted(issue.by)) await this.take(repo, issue);
      else
        await this.tellOnce(
          `Issue #${issue.number} of ${repo} has the label ${settings.forgeLabel}, but its author ${issue.by?.login ?? "is gone"} may not write there: it became no task. Write it anew, or add the task with ekiden add.`,
        );
    }
  }

  private async take(repo: string, issue: Issue): Promise<void> {
    const { store, forge } = this.parts;
    const comments: Words[] = [];
    for (const one of await forge.comments(issue.number))
      if (await this.isTrusted(one.by)) comments.push(one);
    await store.forge.take(repo, issue.number, taskOf(forge.repo, issue, comments));
  }

  private async lookAtAll(): Promise<void> {
    const { store, forge } = this.parts;
    const repo = repoName(forge.repo);
    const all = (await store.forge.all()).filter((one) => one.repo === repo);
    for (const one of all) if (one.state === "taken" && one.status === "completed") await this.endEmpty(one);
    const open = all.filter(({ state, number }) => number !== null && (state === "open" || state === "work"));
    const closed = all.filter(
      ({ state, number, status }) => number !== null && state === "closed" && status === "failed",
    );
    if (open.length + closed.length === 0) return;
    const there = await forge.open();
    for (const one of closed) if (there.has(one.number ?? 0)) await this.reopen(one);
    for (const one of open) {
      const now = there.get(one.number ?? 0);
      const isWaiting = one.state === "open" && one.status === "in_progress";
      if (now !== undefined && !isWaiting) continue;
      const { memory } = one;
      const isOld = this.parts.clock.now() - memory.lookedAt >= FULL_LOOKS * this.parts.settings.forgePollMs;
      const isChanged = now?.updatedAt !== memory.updatedAt || isOld;
      if (!isChanged && !isMoving(memory)) continue;
      const checks = !isChanged && now.head === one.head ? await this.parts.forge.checks(now.head) : null;
      if (checks === null || !(await this.isPending(one, checks))) await this.look(one, isChanged, checks);
    }
  }

  /** Notes the checks of the head. While they run, nothing else of the request is read. */
  private async isPending({ task, memory, head }: Tracked, checks: readonly Check[]): Promise<boolean> {
    const { store, host, clock, settings } = this.parts;
    const { seen, verdict } = settle(memory.checks, head, checks, clock.now(), timesOf(settings));
    if (verdict.kind !== "pending") return false;
    await store.forge.change(host, task, { memory: { ...memory, checks: seen, waits: "its checks" } });
    return true;
  }

  /** `known`: the checks of the head, if they were just read. */
  private async look(tracked: Tracked, isChanged: boolean, known: readonly Check[] | null): Promise<void> {
    const { store, forge, host, clock } = this.parts;
    if (!(await store.forge.lead(host, LEASE_MS))) return;
    const request = await forge.request(tracked.number ?? 0);
    const isOver = request.state === "closed";
    const talk = isChanged && !isOver ? await forge.talk(request.number) : null;
    const authors = talk ? [...talk.lines, ...talk.reviews, ...talk.comments].map(({ by }) => by) : [];
    const rules = await this.rules(tracked.task, authors);
    const own = known !== null && request.head === tracked.head ? known : null;
    const checks = isOver ? null : (own ?? (await forge.checks(request.head)));
    const first: Seen = { request, talk, checks };
    const checked = checksOf(tracked.memory, first, rules, clock.now());
    const seen =
      checked && wantsLogs(tracked.memory, request.head, checked.verdict)
        ? {
            ...first,
            logs: await this.logs(
              request,
              checked.verdict.failed.flatMap(({ job }) => job ?? []),
            ),
          }
        : first;
    const { memory, acts } = reduce(tracked, seen, rules, clock.now());
    const change = changeOf(tracked, acts);
    if (!(await store.forge.change(host, tracked.task, { memory, ...change }))) return;
    if (change.completed) await this.parts.merged();
  }

  private async logs(request: Request, jobs: readonly number[]): Promise<NonNullable<Seen["logs"]>> {
    const { forge } = this.parts;
    const found: string[] = [];
    for (const job of jobs.slice(0, LOGS_MAX)) found.push(await forge.log(job));
    const text = found.filter(Boolean).join("\n\n");
    const files = text === "" ? [] : await forge.files(request.number);
    return { text, isTouched: files.some((file) => text.includes(file)) };
  }

  private async rules(task: Tracked["task"], authors: readonly Author[]): Promise<Rules> {
    const { store, forge, settings } = this.parts;
    const allowed = new Set<number>();
    for (const who of authors) if (who && (await this.isTrusted(who))) allowed.add(who.id);
    const [own, posted] = [await forge.account(), await store.forge.posted(task)];
    const trust: Trust = { own, posted, isTrusted: ({ id }) => allowed.has(id) };
    return { rounds: settings.forgeRounds, merge: settings.forgeMerge, times: timesOf(settings), trust };
  }

  private async isTrusted(who: Author): Promise<boolean> {
    const { forge, clock, settings } = this.parts;
    if (who === null) return false;
    if (who.isBot) return settings.forgeBots.includes(who.login);
    const known = this.trusted.get(who.id);
    if (known && clock.now() - known.at < TRUST_MS) return known.mayWrite;
    const mayWrite = await forge.mayWrite(who.login, who.id);
    this.trusted.set(who.id, { mayWrite, at: clock.now() });
    return mayWrite;
  }

  /** The next look reads all of it. */
  private async reopen({ task, number, memory }: Tracked): Promise<void> {
    const { store, host, tell } = this.parts;
    const anew = { ...memory, checks: null, lookedAt: 0, updatedAt: "", waits: "" };
    if (await store.forge.change(host, task, { memory: anew, state: "open", reopened: true }))
      await tell(`Pull request #${number} was opened again: #${task} waits for it.`);
  }

  /** Its task changed nothing: who wrote the issue learns why. */
  private async endEmpty({ task, issue }: Tracked): Promise<void> {
    const { store, host } = this.parts;
    const done = await store.board.task(task);
    const { outward } = await import("../../core/forge/clean.ts");
    const body = `Nothing was changed. ${done && "result" in done ? outward(done.result, 3_000) : ""}`.trim();
    const send =
      issue === null ? [] : [{ key: "nothing", kind: "comment", target: { number: issue }, body } as const];
    await store.forge.change(host, task, { state: "closed", send });
  }

  private async tellOnce(text: string): Promise<void> {
    if (this.told.has(text)) return;
    this.told.add(text);
    await this.parts.tell(text);
  }
}

const timesOf = ({ forgePollMs }: ForgeParts["settings"]): Times => ({
  settleMs: 2 * forgePollMs,
  noneMs: 20 * forgePollMs,
});

function changeOf({ number, task }: Tracked, acts: readonly Act[]): Change {
  const send = acts.flatMap((act) => (act.kind === "send" ? [act.what] : []));
  const change: { -readonly [K in keyof Change]: Change[K] } = send.length > 0 ? { send } : {};
  for (const act of acts)
    if (act.kind === "back") change.back = act.note;
    else if (act.kind === "person") change.person = act.text;
    else if (act.kind === "merged") {
      change.completed = { result: `Merged as pull request #${number}.`, commit: act.commit };
      change.state = "merged";
    } else if (act.kind === "closed") {
      change.failed = `Its pull request #${number} was closed without a merge. Find out why; after \`ekiden retry\` the next one is opened.`;
      change.person = `Pull request #${number} was closed without a merge, so #${task} has failed. Open it again there, and it is watched again; or \`ekiden retry ${task}\`, and the work goes on with a new one.`;
      change.state = "closed";
    }
  return change;
}
