/**
 * `ekiden stop`: the shutdown handshake. The question is put here; whoever hosts the member enforces the deadline, so that a
 * member is stopped also when this command is ended early.
 */
import { systemClock } from "../../adapters/clock.ts";
import { EkidenError } from "../../core/errors.ts";
import { later, type Name, name, PERSON } from "../../core/ids.ts";
import type { MemberData } from "../../core/views/team.ts";
import type { Request, Store } from "../../ports/index.ts";
import { onlyPerson } from "../actor.ts";
import type { Invocation } from "../invocation.ts";
import { withTeam } from "../open.ts";
import { mustExist } from "./inbox.ts";
import { readTeam } from "./team.ts";

type Options = { now?: boolean; reason?: string };
type Stopped = { readonly name: Name; readonly stopped: boolean; readonly how: string };

/** What a host may need beyond the deadline to end a member that did not answer. */
const GRACE_MS = 15_000;

export async function run(
  call: Invocation,
  [text]: readonly string[],
  options: Options,
): Promise<number | undefined> {
  const who = text === undefined || text === "all" ? null : name(text);
  const { shutdownDeadlineMs } = await call.settings();
  return withTeam(call, "look", async (store) => {
    await onlyPerson(call, store, "The lead has request_shutdown; ask it with send_message.");
    if (who !== null) await mustExist(store, who);
    const { members } = await readTeam(store);
    const meant = members.filter(
      (member) => (who === null || member.name === who) && member.activity.phase !== "shutdown",
    );
    if (who !== null && meant.length === 0)
      throw new EkidenError(
        "bad_input",
        members.some((member) => member.name === who)
          ? `"${who}" has stopped already.`
          : `"${who}" has never been at work in team "${store.team}", so there is nothing to stop.`,
      );
    const reason = options.reason ?? "The person asks you to stop.";
    const urgent = options.now === true;
    const results: Stopped[] = [];
    // The lead last: a run is over when its lead is gone.
    for (const kind of ["teammate", "lead"]) {
      const deadline = later(systemClock.now(), urgent ? 0 : shutdownDeadlineMs);
      const rank = meant.filter((member) => member.kind === kind);
      results.push(
        ...(await Promise.all(rank.map((one) => stopOne(call, store, one, { reason, urgent, deadline })))),
      );
    }
    if (call.json) call.out.write(`${JSON.stringify({ team: store.team, members: results })}\n`);
    else if (results.length === 0) call.say("nobody is at work");
    return results.every((result) => result.stopped) ? undefined : 1;
  });
}

type How = { readonly reason: string; readonly urgent: boolean; readonly deadline: Request["deadline"] };

async function stopOne(call: Invocation, store: Store, member: MemberData, how: How): Promise<Stopped> {
  const end = (stopped: boolean, text: string): Stopped => {
    call.say(`${member.name}: ${text}`);
    return { name: member.name, stopped, how: text };
  };
  if (!member.hosted) return end(true, "is not running; ekiden resume would bring it back");
  const { reason, urgent, deadline } = how;
  const asked = await store.requests.ask(PERSON, member.name, { kind: "shutdown", reason, urgent }, deadline);
  let refusal = "";
  for (;;) {
    const mark = store.wake.mark();
    const now = await store.roster.member(member.name);
    if (now === null || now.activity.phase === "shutdown") return end(true, "has stopped");
    const { answer } = (await store.requests.request(asked.id)) ?? asked;
    if (answer && !answer.yes && refusal === "") {
      refusal = answer.text;
      call.say(`${member.name} refuses: ${refusal}`);
    }
    const left = deadline + GRACE_MS - systemClock.now();
    if (left <= 0) break;
    await store.wake.changed(mark, ["journal", "board"], Math.min(left, 500));
  }
  return end(
    false,
    refusal
      ? `goes on: ${refusal}`
      : "did not stop by the deadline; is its process still alive? ekiden team shows its heartbeat",
  );
}
