/** The mark by which a text on the forge is known as one of this team, so that it is never sent twice and never answered. Pure. */
import type { Name, TaskId } from "../ids.ts";

export type Marked = { readonly team: Name; readonly task: TaskId; readonly row: string };

/** A line that the page of a forge does not show. `row` names the text: "open", or what it answers. */
export const marker = ({ team, task, row }: Marked): string => `<!-- ekiden:${team}/${task}/${row} -->`;

const MARK = /<!-- ekiden:[a-z][a-z0-9-]{0,31}\/\d{1,15}\/[\w:.-]{1,120} -->/;

/** Whether a line that is no quotation has a mark. It says something only in a text of the team's own account: anybody can write one. */
export const isMarked = (text: string): boolean =>
  text.includes("<!-- ekiden:") &&
  text.split("\n").some((line) => !line.trimStart().startsWith(">") && MARK.test(line));
