/** The teammates to start with: a number of them, or names with roles. */
import { type Name, teammateName } from "./ids.ts";

/** One teammate to start with. `role` is "" for none. */
export type Recruit = { readonly name: Name; readonly role: string };

const NAMES =
  "alice bob carol dave erin frank grace heidi ivan judy kate leo mia nina oscar peggy quinn rita sam tess".split(
    " ",
  );

/** Names for `--teammates N`: alice, bob, carol …, and numbered ones when the list is used up. */
export const recruits = (count: number): Recruit[] =>
  Array.from({ length: count }, (_, i) => ({
    name: teammateName(NAMES[i] ?? `teammate-${i + 1}`),
    role: "",
  }));

/** Reads `alice` or `alice:tester`. @throws EkidenError `bad_input` */
export function recruit(text: string): Recruit {
  const [, name = text, role = ""] = /^([^:]*):(.*)$/s.exec(text) ?? [];
  return { name: teammateName(name.trim()), role: role.trim() };
}
