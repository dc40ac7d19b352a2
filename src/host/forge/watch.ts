/** Watches the forge for a team: issues become tasks, requests are looked at, what follows is decided by core/forge and sent. */
import { isEkidenError, messageOf } from "../../core/errors.ts";
import { askedOf, type Trust } from "../../core/forge/asks.ts";
import { type Tracked, unread } from "../../core/forge/memory.ts";
import { type Check, type Request, repoName, type Talk } from "../../core/forge/model.ts";
import type { Rules, Seen } from "../../core/forge/reduce.ts";
import { checksOf, IN_MERGE, isMoving, reduce, wantsLogs } from "../../core/forge/reduce.ts";
import { settle, type Times } from "../../core/forge/settle.ts";
import { Issues } from "./issues.ts";
import { type ForgeParts, People } from "./parts.ts";
import { LEASE_MS, sendAll } from "./send.ts";

const FULL_LOOKS = 10;
const AWAY_MAX = 10;
const LOGS_MAX = 5;
/** What is wrong with one request does not stop the others, until so many have it. */
const FAULTS_MAX = 3;
/** Deliveries come in groups. */
const GROUP_MS = 250;

export class ForgeWatch {
  private readonly parts: ForgeParts;
  private readonly people: People;
  private readonly issues: Issues;
  private issuesAt = Number.NEGATIVE_INFINITY;
  private lookAt = Number.NEGATIVE_INFINITY;
  private failures = 0;
  private hasLooked = false;
  private hasPages = false;

  constructor(parts: ForgeParts) {
    this.parts = parts;
    this.people = new People(parts);
    this.issues = new Issues(parts, this.people);
  }

  /** Until the signal aborts. Errors of the forge become one warning, and it is asked less often. */
  async run(signal: AbortSignal): Promise<void> {
    const { store, clock, settings } = this.parts;
    while (!signal.aborted) {
      const mark = store.wake.mark();
      try {
        await this.step();
        if (this.hasLooked) this.parts.onStep?.();
        if (this.failures > 0) await this.parts.tell("The forge is available again.");
        this.failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        const waitMs = await this.failed(error);
        this.lookAt = clock.now() + waitMs;
        await clock.sleep(waitMs, signal);
        continue;
      }
      const left = Math.min(settings.forgePollMs, Math.max(50, this.lookAt - clock.now()));
      await store.wake.changed(mark, ["forge"], Math.min(left, LEASE_MS / 2), signal);
      if (settings.forgeWebhook !== undefined) await clock.sleep(GROUP_MS, signal);
    }
  }

  private async failed(error: unknown): Promise<number> {
    const asked = isEkidenError(error) ? error.details.retryAfterMs : undefined;
    if (this.failures++ === 0)
      await this.parts.tell(`The forge cannot be used now; Ekiden tries again: ${messageOf(error)}`);
    return asked ?? this.parts.settings.forgePollMs * Math.min(2 ** (this.failures - 1), AWAY_MAX);
  }

  /** What is due now. @throws EkidenError `forge_away` | `forge_refused` */
  async step(): Promise<void> {
    const { store, clock, host, settings, forge } = this.parts;
    if (!(await store.forge.lead(host, LEASE_MS))) return;
    if (!this.hasPages) forge.restore(await store.forge.pages());
    this.hasPages = true;
    await sendAll(this.parts);
    const woken = await store.forge.woken();
    const now = clock.now();
    const isDue = now >= this.lookAt;
    if (now >= this.issuesAt || woken.has("issues")) {
      await this.issues.take();
      this.issuesAt = now + 4 * settings.forgePollMs;
    }
    if (isDue || woken.size > 0) await this.lookAtAll(woken, isDue);
    await sendAll(this.parts);
    await store.forge.keep(forge.fresh());
    if (!isDue) return;
    this.lookAt = clock.now() + settings.forgePollMs;
    this.hasLooked = true;
  }

  /** `woken`: numbers and commits that somebody has told of. `isDue`: the others are looked at, too. */
  private async lookAtAll(woken: ReadonlySet<string>, isDue: boolean): Promise<void> {
    const { store, forge, clock, settings } = this.parts;
    const repo = repoName(forge.repo);
    const all = (await store.forge.all()).filter((one) => one.repo === repo && one.number !== null);
    const open = all.filter(({ state }) => state === "open" || state === "work");
    const closed = all.filter(({ state, status }) => state === "closed" && status === "failed");
    if (open.length + closed.length === 0) return;
    const isWoken = ({ number, head }: Tracked): boolean => woken.has(`${number}`) || woken.has(head);
    const there = isDue || closed.some(isWoken) ? await forge.open() : null;
    for (const one of closed) if (there?.has(one.number ?? 0)) await this.reopen(one);
    let faults = 0;
    for (const one of open) {
      if (!isDue && !isWoken(one)) continue;
      const now = there?.get(one.number ?? 0);
      const isThere = there === null || now !== undefined;
      if (isThere && (one.state !== "open" || one.status !== "in_progress")) continue;
      const isOld = clock.now() - one.memory.lookedAt >= FULL_LOOKS * settings.forgePollMs;
      const isChanged = now?.updatedAt !== one.memory.updatedAt || isOld || isWoken(one);
      if (!isChanged && !isMoving(one.memory)) continue;
      try {
        const checks = !isChanged && now?.head === one.head ? await forge.checks(one.head) : null;
        if (checks === null || !(await this.isPending(one, checks))) await this.look(one, isChanged, checks);
      } catch (error) {
        faults += 1;
        const isOfAll = !isEkidenError(error) || error.details.retryAfterMs !== undefined;
        if (isOfAll || faults >= Math.min(FAULTS_MAX, open.length)) throw error;
        if (isEkidenError(error, "forge_refused"))
          await this.people.tellOnce(
            `Pull request #${one.number} of #${one.task} cannot be read: ${messageOf(error)}`,
          );
      }
    }
  }

  /** Notes the checks of the head. While they run, nothing else of the request is read. */
  private async isPending({ task, memory, head }: Tracked, checks: readonly Check[]): Promise<boolean> {
    const { store, host, clock, settings } = this.parts;
    const { seen, verdict } = settle(memory.checks, { head, checks }, clock.now(), timesOf(settings));
    if (verdict.kind !== "pending") return false;
    await store.forge.change(host, task, { memory: { ...memory, checks: seen, waits: "its checks" } });
    return true;
  }

  /** `known`: the checks of the head, if they were just read. */
  private async look(tracked: Tracked, isChanged: boolean, known: readonly Check[] | null): Promise<void> {
    const { store, forge, host, clock, settings } = this.parts;
    if (!(await store.forge.lead(host, LEASE_MS))) return;
    const request = await forge.request(tracked.number ?? 0);
    const isOver = request.state === "closed";
    const { talk, trust } = await this.heard(tracked, isChanged && !isOver);
    const { forgeRounds: rounds, forgeMerge: merge } = settings;
    const rules: Rules = { rounds, merge, times: timesOf(settings), trust };
    const own = known !== null && request.head === tracked.head ? known : null;
    const checks = isOver ? null : (own ?? (await forge.checks(request.head)));
    const isInMerge = !isOver && merge === "queue" && tracked.memory.waits === IN_MERGE;
    const isQueued = isInMerge ? await forge.isQueued(request.number) : null;
    const seen: Seen = { request, talk, checks, isQueued };
    const verdict = checksOf(tracked.memory, seen, rules, clock.now())?.verdict;
    const isNew = verdict && wantsLogs(tracked.memory, request.head, verdict);
    const logs = isNew && { logs: await this.logs(request, verdict.failed) };
    const change = reduce(tracked, { ...seen, ...logs }, rules, clock.now());
    const isDone = await store.forge.change(host, tracked.task, change, forge.fresh());
    if (isDone && change.completed) await this.parts.merged();
  }

  /** What was said, and whose words count. */
  private async heard({ task, number, memory }: Tracked, isRead: boolean) {
    const { store, forge } = this.parts;
    const [own, posted] = [await forge.account(), await store.forge.posted(task)];
    const trusting = async (talk: Talk | null) => {
      const said = talk ? [...talk.lines, ...talk.reviews, ...talk.comments].map(({ by }) => by) : [];
      const allowed = await this.people.trusted([...said, ...(talk?.editors.values() ?? [])]);
      return { talk, trust: { own, posted, isTrusted: ({ id }) => allowed.has(id) } satisfies Trust };
    };
    const first = await trusting(isRead ? await forge.talk(number ?? 0) : null);
    if (!first.talk || askedOf(first.talk, first.trust, memory.answered).asks.length === 0) return first;
    return await trusting({ ...first.talk, ...(await forge.details(number ?? 0)) });
  }

  private async logs(request: Request, failed: readonly Check[]) {
    const { forge } = this.parts;
    const found: string[] = [];
    for (const { job, said = "" } of failed.slice(0, LOGS_MAX))
      found.push((job === null ? "" : await forge.log(job)) || said);
    const text = found.filter(Boolean).join("\n\n");
    const files = text === "" ? [] : await forge.files(request.number);
    return { text, isTouched: files.some((file) => text.includes(file)) };
  }

  private async reopen({ task, number, memory }: Tracked): Promise<void> {
    const { store, host, tell } = this.parts;
    const anew = { ...unread(memory), waits: "" };
    if (await store.forge.change(host, task, { memory: anew, state: "open" }))
      await tell(`Pull request #${number} was reopened: #${task} waits for it.`);
  }
}

const timesOf = ({ forgePollMs: ms }: ForgeParts["settings"]): Times => ({
  ...{ settleMs: 2 * ms, noneMs: 20 * ms },
});
