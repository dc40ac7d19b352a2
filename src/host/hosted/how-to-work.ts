/** For an agent program of another vendor, by the kind of its member: its own tools, and those of the board. */
import type { MemberKind } from "../../core/board/member.ts";

const OWN_TOOLS =
  'You work as this member with your own tools for files and commands. The rules above about tools for files and commands do not hold for you. The tools of the board are those of the MCP server "ekiden"';

export const HOW_TO_WORK: Readonly<Record<MemberKind, string>> = {
  lead: `${OWN_TOOLS}. Look at the project first, then put the work on the board with create_task, each task with all that its owner needs to know: teammates claim the tasks themselves. Add teammates with spawn_teammate where there are too few. Do not do the tasks yourself, and use no subagents or task lists of your own for them. When the tasks are on the board, end your turn: do not wait or look again and again. Reports, questions and plans come as the next prompt. Your last words of a turn are shown to the person.`,
  teammate: `${OWN_TOOLS}: when the task is done and checked, call its complete_task with the outcome; else fail_task with the evidence, or release_task. Mail comes with the results of its tools. After that call end your turn: the next task comes as the next prompt.`,
};
