/** The members of a fork: as they were then, run by no process, and without use. */

import type { Event } from "../../../core/event.ts";
import type { Name } from "../../../core/ids.ts";
import { exec, type Op, type Tx } from "../sql.ts";
import { renameRows } from "../team/member-change.ts";
import type { Then } from "./then.ts";

export function* membersThen(fork: Tx, then: Then, later: readonly Event[]): Op<void> {
  // No process runs them, so a start of the fork takes them over with their tasks, as after a crash.
  yield* exec`
    update members set host = null, last_host = null, heartbeat = null, kept_until = 0, blocks_of = null, note = null,
      turns = 0, input_tokens = 0, cached_tokens = 0, output_tokens = 0, usd = 0
    where team = ${fork.team}`;
  const changed = new Set<Name>();
  for (const event of later.toReversed()) {
    if (event.type === "teammate.changed" && event.name !== undefined) {
      changed.delete(event.name);
      yield* renameRows(fork, event.name, event.who);
    }
    if (event.type === "teammate.spawned") {
      yield* exec`update members set life = life - 1 where team = ${fork.team} and name = ${event.who}`;
      // What its former life had not read was for that one.
      yield* exec`update mail set state = 0 where team = ${fork.team} and recipient = ${event.who} and at >= ${then.member(event.who)?.joinedAt ?? 0}`;
    }
    if (event.type.startsWith("teammate.")) changed.add((event as { who: Name }).who);
  }
  yield* exec`delete from mail where team = ${fork.team} and state = 2`;
  yield* exec`delete from members where team = ${fork.team} and life < 0`;
  for (const name of changed) {
    const member = then.member(name);
    if (member)
      yield* exec`
        update members set kind = ${member.kind}, role = ${member.role}, model = ${member.model}, phase = ${member.phase},
          reason = ${member.phase === "work" ? null : member.reason}, since = ${member.since}, joined_at = ${member.joinedAt}
        where team = ${fork.team} and name = ${name}`;
  }
}
