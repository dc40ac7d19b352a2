/** A ready task that no member may take: what it lacks, and what a person can do. Pure. */
import { foldRole, LEAD, type Name } from "../ids.ts";
import type { Pending } from "./task.ts";

type Hand = { readonly name: Name; readonly role: string };

/** Null where one of the members may take it. `members`: those that have not stopped. */
export function untakenWords(
  { id, subject, role, assignee }: Pick<Pending, "id" | "subject" | "role" | "assignee">,
  members: readonly Hand[],
): string | null {
  const teammates = members.filter(({ name }) => name !== LEAD);
  const head = `#${id} ${subject}`;
  if (assignee !== undefined)
    return teammates.some(({ name }) => name === assignee)
      ? null
      : `${head}: it is kept for ${assignee}, which is not in the team. To give it to anybody: ekiden edit ${id} --assign any.`;
  if (role !== null)
    return teammates.some((one) => foldRole(one.role) === role)
      ? null
      : `${head}: it is for the role ${role}, which no member has. To add a member with it: ekiden resume --teammate NAME:${/\s/.test(role) ? `'${role}'` : role}. To let anybody take it: ekiden edit ${id} --role any.`;
  return teammates.length > 0
    ? null
    : `${head}: there is no teammate. To add one: ekiden resume --teammates 1, or ekiden spawn NAME while the team runs.`;
}
