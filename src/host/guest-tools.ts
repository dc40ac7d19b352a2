/** The tools of an agent that has tools of its own: those of the board and of mail. */

import type { MemberKind } from "../core/board/member.ts";
import { inputFault } from "../core/tool-faults.ts";
import { inOurNames, ourName } from "../core/tool-names.ts";
import type { Tool, ToolSpec } from "../ports/index.ts";
import { boardTools, mailTools, planTools, specOf } from "../tools/index.ts";
import { askPerson } from "../tools/team/ask-person.ts";
import {
  idle,
  listTeammates,
  requestShutdown,
  respondShutdown,
  spawnTeammate,
} from "../tools/team/roster.ts";

const tools = (kind: MemberKind, planDeadlineMs: number): readonly Tool[] => [
  ...boardTools[kind],
  ...mailTools[kind],
  ...(kind === "lead"
    ? [spawnTeammate, listTeammates, requestShutdown, planTools.request, planTools.review]
    : [respondShutdown, planTools.submit(planDeadlineMs)]),
  askPerson(0),
];

/** As the agent is told of them. */
export const guestTools = (kind: MemberKind, planDeadlineMs: number): ToolSpec[] =>
  tools(kind, planDeadlineMs).flatMap((tool) => (tool.unlisted ? [] : [specOf(tool)]));

/** Whether a guest has a tool of this name, in the words of any harness. */
export const isGuestTool = (name: string, input: unknown): boolean => {
  const { tool } = inOurNames({ tool: name, input });
  return tools("teammate", 0).some((one) => one.name === tool);
};

/** For a guest, to idle is to wait for work. */
export const isIdle = (name: string): boolean => ourName(name) === idle.name;

/** A call that idles, with its input in our words. `name`: what the agent called. @throws with what was expected */
export function idling(name: string, given: object): object {
  const { input } = inOurNames({ tool: idle.name, input: given });
  const { data, error } = idle.input().safeParse(input);
  if (error) throw new Error(inputFault(name, error.issues, specOf(idle).schema, input));
  return data as object;
}
