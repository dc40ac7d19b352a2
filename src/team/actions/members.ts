/** Another role or another name for a teammate. */
import { LEAD, type Name, PERSON, teammateName } from "../../core/ids.ts";
import type { MemberChange, Store } from "../../ports/index.ts";
import type { Done } from "./done.ts";
import { notDecidedBy } from "./tasks.ts";

type Changed = { readonly name: Name; readonly role: string };

/** @throws EkidenError `not_found` | `bad_input` | `name_taken` | `not_permitted` */
export async function changeMember(
  { roster }: Store,
  by: Name,
  who: Name,
  change: MemberChange,
): Promise<Done<Changed>> {
  if (by !== LEAD && by !== PERSON) throw notDecidedBy(by, "Ask the lead with send_message.");
  const name = change.name === undefined ? who : teammateName(change.name);
  await roster.change(who, change, by);
  const role = (await roster.member(name))?.role ?? "";
  const renamed = name === who ? "" : `, before ${who}`;
  return { data: { name, role }, text: `${name}${renamed}: ${role === "" ? "no role" : role}` };
}
