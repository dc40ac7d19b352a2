/**
 * The shutdown handshake. This asks the members; the process that hosts a member enforces the deadline, so the member stops
 * even if the caller ends early.
 */
import { systemClock } from "../../adapters/clock.ts";
import { livesAs } from "../../adapters/process-identity.ts";
import type { Host } from "../../core/board/host.ts";
import { badInput } from "../../core/errors.ts";
import { later, type Name, PERSON } from "../../core/ids.ts";
import type { MemberData } from "../../core/views/team.ts";
import type { Request, Store } from "../../ports/index.ts";
import { readHosts, standsStill } from "../queries/hosts.ts";
import { mustExist, team } from "../queries/team.ts";
import { notDecidedBy } from "./tasks.ts";

export type StopOptions = {
  readonly reason?: string | undefined;
  /** Without waiting for an answer. */
  readonly now?: boolean | undefined;
  readonly deadlineMs: number;
  /** Is told each step: who refuses, who has stopped. */
  readonly tell: (text: string) => void;
};
export type Stopped = { readonly name: Name; readonly stopped: boolean; readonly how: string };

/** The time that a host may take after the deadline to end a member that did not answer. */
const GRACE_MS = 15_000;
/** The lead is asked when the teammates are gone, with what is left of their time, and at least this. */
const LEAD_MS = 5_000;

/** Stops a member, or everybody (`null`), the lead last. Resolves when they have stopped or refused. @throws EkidenError `not_found` | `bad_input` | `not_permitted` */
export async function stop(
  store: Store,
  by: Name,
  who: Name | null,
  options: StopOptions,
): Promise<Stopped[]> {
  if (by !== PERSON) throw notDecidedBy(by, "The lead has request_shutdown; ask it with send_message.");
  if (who !== null) await mustExist(store, who);
  const { members } = await team(store);
  const meant = members.filter(
    (member) => (who === null || member.name === who) && member.activity.phase !== "shutdown",
  );
  if (who !== null && meant.length === 0)
    throw badInput(
      members.some((member) => member.name === who)
        ? `"${who}" has stopped already.`
        : `"${who}" has never worked in team "${store.team}", so there is nothing to stop.`,
    );
  const results: Stopped[] = [];
  const deadline = later(systemClock.now(), options.deadlineMs);
  // The lead last: a run is over when its lead is gone.
  for (const kind of ["teammate", "lead"]) {
    const deadlineMs = Math.max(deadline - systemClock.now(), kind === "lead" ? LEAD_MS : 0);
    const group = meant.filter((member) => member.kind === kind);
    const stopped = group.map((member) => stopOne(store, member, { ...options, deadlineMs }));
    results.push(...(await Promise.all(stopped)));
  }
  return results;
}

async function stopOne(store: Store, member: MemberData, options: StopOptions): Promise<Stopped> {
  const { reason = "The person asks you to stop.", now = false, deadlineMs, tell } = options;
  const end = (stopped: boolean, how: string): Stopped => {
    tell(`${member.name}: ${how}`);
    return { name: member.name, stopped, how };
  };
  if (!member.hosted) {
    const host = (await store.roster.hosts()).find(({ id }) => id === member.host);
    if (host && standsStill(host)) return end(false, isFrozen(host));
    return end(true, "is not running; ekiden resume would bring it back");
  }
  const deadline = later(systemClock.now(), now ? 0 : deadlineMs);
  const ask = { kind: "shutdown", reason, urgent: now } as const;
  const asked = await store.requests.ask(PERSON, member.name, ask, deadline);
  const why = await untilGone(store, asked, tell);
  return why === null ? end(true, "has stopped") : end(false, why);
}

const isFrozen = ({ pid, machine }: Host): string =>
  `cannot stop: process ${pid} on ${machine} stands still. To end it: kill -9 ${pid}`;

/** Null when the member has stopped; else why it has not. */
async function untilGone(store: Store, asked: Request, tell: (text: string) => void): Promise<string | null> {
  let refusal = "";
  for (;;) {
    const mark = store.wake.mark();
    const member = await store.roster.member(asked.of);
    if (member === null || member.activity.phase === "shutdown") return null;
    // An expired request has an answer, too: that of the program.
    const { answer, state } = (await store.requests.request(asked.id)) ?? asked;
    if (state === "answered" && answer && !answer.yes && refusal === "") {
      refusal = answer.text;
      tell(`${asked.of} refuses: ${refusal}`);
    }
    const host = (await readHosts(store)).find(({ id }) => id === member.host);
    if (!host || host.leaseUntil <= systemClock.now())
      return host && livesAs(host.identity) !== false
        ? isFrozen(host)
        : "did not stop: its process ended first. To continue without it: ekiden resume";
    const left = asked.deadline + GRACE_MS - systemClock.now();
    if (left <= 0)
      return refusal === "" ? "did not stop by the deadline, and its process lives" : `continues: ${refusal}`;
    await store.wake.changed(mark, ["journal", "board"], Math.min(left, 500));
  }
}
