/** The board as it is planned: the tasks that have not begun, in their order, with how long they take and what is remarked on them. */
import { systemClock } from "../../adapters/clock.ts";
import { LEAD, type RequestId } from "../../core/ids.ts";
import { isBoardQuestion } from "../../core/plan/hold.ts";
import { inPlan } from "../../core/plan/order.ts";
import type { PlanData } from "../../core/plan/plan-views.ts";
import { remarksOn } from "../../core/plan/remarks.ts";
import { boardData } from "../../core/views/board.ts";
import type { Store } from "../../ports/index.ts";
import { planOf } from "../queries/board.ts";

export const planned = (store: Store): Promise<PlanData> => planReader(store)();

/** For a face that looks again and again: remarks and times of a large board cost too much to be made again where nothing has changed. */
export function planReader(store: Store): () => Promise<PlanData> {
  let known: { readonly of: string; readonly plan: PlanData } | null = null;
  return async () => {
    const [tasks, members, question] = await Promise.all([
      store.board.tasks(),
      store.roster.members(),
      boardQuestionOf(store),
    ]);
    const crew = members
      .filter(({ name, activity }) => name !== LEAD && activity.phase !== "shutdown")
      .map(({ name, role }) => ({ name, role }));
    const of = JSON.stringify([tasks, crew, question]);
    if (known?.of === of) return known.plan;
    const rows = boardData(store.team, tasks, systemClock.now()).tasks;
    const remarks = remarksOn(tasks, crew);
    const plan = {
      team: store.team,
      question,
      takes: await planOf(store, rows),
      remarks,
      tasks: inPlan(rows),
    };
    known = { of, plan };
    return plan;
  };
}

/** The open question of the lead whether the board may begin. */
export async function boardQuestionOf({ requests }: Store): Promise<RequestId | null> {
  const open = await requests.open({ by: LEAD, kind: "question" });
  return open.find(({ by, ask }) => isBoardQuestion({ by, ...ask }))?.id ?? null;
}
