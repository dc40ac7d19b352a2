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

export async function planned(store: Store): Promise<PlanData> {
  const tasks = await store.board.tasks();
  const rows = boardData(store.team, tasks, systemClock.now()).tasks;
  const [takes, members, question] = await Promise.all([
    planOf(store, rows),
    store.roster.members(),
    boardQuestionOf(store),
  ]);
  const crew = members.filter(({ name, activity }) => name !== LEAD && activity.phase !== "shutdown");
  return {
    ...{ team: store.team, question, takes, remarks: remarksOn(tasks, crew) },
    tasks: inPlan(rows),
  };
}

/** The open question of the lead whether the board may begin. */
export async function boardQuestionOf({ requests }: Store): Promise<RequestId | null> {
  const open = await requests.open({ by: LEAD, kind: "question" });
  return open.find(({ by, ask }) => isBoardQuestion({ by, ...ask }))?.id ?? null;
}
