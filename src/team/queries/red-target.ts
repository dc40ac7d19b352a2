/** The target on which the gate fails without any task, as the journal has it, and its sentence for faces without a picture. */
import type { Event, FactOf } from "../../core/event.ts";
import type { TaskId } from "../../core/ids.ts";
import type { RedBaseShown } from "../../core/picture/picture.ts";
import { redBaseNow } from "../../core/views/red-target.ts";
import type { Store } from "../../ports/index.ts";

type Told = Event & FactOf<"base.judged" | "task.landed">;

/** Null while no target is red. Nothing lands on one that is. */
export async function redBaseOf({ journal }: Pick<Store, "journal">): Promise<RedBaseShown | null> {
  let red = null as RedBaseShown | null;
  for await (const { events } of journal.pages(journal.from(0), ["base.judged", "task.landed"]))
    for (const event of events as Told[]) {
      if (event.type === "task.landed") red = red?.target === event.target ? null : red;
      else red = event.verdict === "red" ? shownOf(event) : null;
    }
  return red;
}

const shownOf = ({ target, commit, author, authoredAt, names, repair }: RedBaseShown): RedBaseShown => ({
  ...{ target, commit, author, authoredAt, names, repair },
});

/** "main is red since …", with who repairs it and how many landings wait; as a part of what a query answers. */
export async function redNow(
  store: Pick<Store, "journal" | "board" | "roster">,
): Promise<{ readonly red?: string }> {
  const redBase = await redBaseOf(store);
  if (redBase === null) return {};
  const { repair } = redBase;
  const task = repair === null ? null : await store.board.task(repair as TaskId);
  const members = await store.roster.members();
  const red = redBaseNow({
    redBase,
    tasks: new Map(task ? [[task.id as number, task]] : []),
    members: new Map(
      members.map(({ name, activity }) => [
        name as string,
        { reason: "reason" in activity ? activity.reason : null },
      ]),
    ),
  });
  return red === null ? {} : { red };
}
