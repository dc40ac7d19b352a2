/** The tools of an agent that has tools of its own: those of the board and of mail. */
import type { ToolSpec } from "../ports/index.ts";
import { askPerson } from "../tools/ask-person.ts";
import { boardTools, mailTools, planTools, specOf } from "../tools/index.ts";
import { respondShutdown } from "../tools/roster.ts";

export const guestTools = (planDeadlineMs: number): ToolSpec[] =>
  [
    ...boardTools.teammate,
    ...mailTools.teammate,
    respondShutdown,
    planTools.submit(planDeadlineMs),
    askPerson(0),
  ].map(specOf);
