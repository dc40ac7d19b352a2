/** The picture of a team as the tables have it, and the place in the journal from which facts lead on. */
import { hostname } from "node:os";
import { systemClock } from "../../adapters/clock.ts";
import type { Host } from "../../core/board/host.ts";
import type { Member } from "../../core/board/member.ts";
import { type MemberRow, rowOf } from "../../core/picture/member.ts";
import { Picture } from "../../core/picture/picture.ts";
import { shownOf } from "../../core/picture/task.ts";
import type { Cursor, Store } from "../../ports/index.ts";
import { readHosts, standsStill } from "./hosts.ts";
import { redBaseOf } from "./red-target.ts";
import { openQuestion } from "./requests.ts";

/** If facts were written while the tables were read, they are read again: otherwise a face would count those facts twice. */
const TRIES = 4;

/** `read` is a look at the tables. */
export async function atCursor<T>(
  { journal }: Pick<Store, "journal">,
  read: () => Promise<T>,
): Promise<{ readonly found: T; readonly cursor: Cursor }> {
  for (let tries = 1; ; tries += 1) {
    const cursor = await journal.end();
    const found = await read();
    if (tries >= TRIES || (await journal.end()) === cursor) return { found, cursor };
  }
}

export async function pictureOf(
  store: Store,
): Promise<{ readonly picture: Picture; readonly cursor: Cursor }> {
  const { found, cursor } = await atCursor(store, async () => {
    const [tasks, members, questions, logins, red] = [
      await store.board.tasks(),
      await memberRows(store),
      await store.requests.open(),
      await store.logins.list(),
      await redBaseOf(store),
    ];
    return Picture.of(tasks.map(shownOf), members, questions.map(openQuestion), logins, red);
  });
  return { picture: found, cursor };
}

export async function memberRows({ roster }: Pick<Store, "roster">): Promise<MemberRow[]> {
  const [members, hosts] = [await roster.members(), await readHosts({ roster })];
  const byId = new Map(hosts.map((host) => [host.id, host]));
  return members.map((member) => memberRow(member, member.host === null ? undefined : byId.get(member.host)));
}

function memberRow(member: Member, host: Host | undefined): MemberRow {
  const isLive = host !== undefined && host.leaseUntil > systemClock.now();
  return {
    ...rowOf(member),
    hosted: isLive,
    machine: isLive && host.machine !== hostname() ? host.machine : "",
    ...(host !== undefined && standsStill(host) && { frozen: host.pid }),
  };
}
