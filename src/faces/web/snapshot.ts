/** The team as a page first needs it: every task in short, every member, and the journal's end, where the stream goes on. */
import { hostname } from "node:os";
import type { Event } from "../../core/event.ts";
import type { Member } from "../../core/member.ts";
import { type MemberRow, rowOf } from "../../core/picture/member.ts";
import type { Store } from "../../ports/index.ts";
import { liveHosts } from "../../team/queries/hosts.ts";
import { openQuestion } from "../../team/queries/requests.ts";
import type { Snapshot } from "./wire.ts";

/** If facts were written while the tables were read, they are read again: otherwise a page would count those facts twice. */
const TRIES = 4;

/** JSON text of a `Snapshot` but for `now` and `project`. The tasks are text from the database and stay text. `inLine`: see `LineReader`. */
export async function snapshot(store: Store, inLine: () => Promise<readonly Event[]>): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    const cursor = await store.journal.end();
    const [tasks, members, questions, line] = [
      await store.board.outlines(),
      await memberRows(store),
      await store.requests.open(),
      await inLine(),
    ];
    if (tries < TRIES && (await store.journal.end()) !== cursor) continue;
    const rest: Omit<Snapshot, "tasks" | "now" | "project"> = {
      team: store.team,
      cursor,
      members,
      questions: questions.map(openQuestion),
      inLine: line,
    };
    return `{"tasks":${tasks},${JSON.stringify(rest).slice(1)}`;
  }
}

export async function memberRows({ roster }: Pick<Store, "roster">): Promise<MemberRow[]> {
  const [members, hosts] = [await roster.members(), await liveHosts({ roster })];
  const live = new Map(hosts.map((host) => [host.id, host.machine]));
  return members.map((member) => memberRow(member, member.host === null ? undefined : live.get(member.host)));
}

const memberRow = (member: Member, machine: string | undefined): MemberRow => ({
  ...rowOf(member),
  hosted: machine !== undefined,
  machine: machine === undefined || machine === hostname() ? "" : machine,
});

/** The processes that live, as a text that changes with them. */
export async function liveHostIds(store: Pick<Store, "roster">): Promise<string> {
  const ids = (await liveHosts(store)).map(({ id }) => id);
  return ids.sort().join(" ");
}
