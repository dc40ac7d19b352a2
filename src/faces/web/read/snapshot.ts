/** The team as a page first needs it: every task in short, every member, and the journal's end, where the stream continues. */
import type { Event } from "../../../core/event.ts";
import type { Store } from "../../../ports/index.ts";
import { liveHosts } from "../../../team/queries/hosts.ts";
import { atCursor, memberRows } from "../../../team/queries/picture.ts";
import { redBaseOf } from "../../../team/queries/red-target.ts";
import { openQuestion } from "../../../team/queries/requests.ts";
import type { Snapshot } from "../wire.ts";

/** JSON text of a `Snapshot` but for `now` and `project`. The tasks are text from the database and stay text. `inLine`: see `lineReader`. */
export async function snapshot(store: Store, readLine: () => Promise<readonly Event[]>): Promise<string> {
  const { found, cursor } = await atCursor(
    store,
    async () =>
      [
        await store.board.outlines(),
        await memberRows(store),
        (await store.requests.open()).map(openQuestion),
        await readLine(),
        await store.logins.list(),
        await redBaseOf(store),
      ] as const,
  );
  const [tasks, members, questions, inLine, logins, redBase] = found;
  const about = { team: store.team, cursor };
  const rest: Omit<Snapshot, "tasks" | "now" | "project"> = {
    ...about,
    members,
    questions,
    inLine,
    logins,
    redBase,
  };
  return `{"tasks":${tasks},${JSON.stringify(rest).slice(1)}`;
}

/** The processes that live, as a text that changes with them. */
export async function liveHostIds(store: Pick<Store, "roster">): Promise<string> {
  const ids = (await liveHosts(store)).map(({ id }) => id);
  return ids.sort().join(" ");
}
