/** The teammates to start with: a number of them, or names with roles. */

import { type Name, teammateName } from "../ids.ts";
import { agentSpec } from "../settings/agent-line.ts";

/** One teammate to start with. `role` is "" for none. `agent`: the program of another vendor that is its model, see `agent-line`. */
export type Recruit = { readonly name: Name; readonly role: string; readonly agent?: string };

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

/** Reads `alice`, `alice:tester`, `alice@claude` or `alice:tester@acp:COMMAND`. @throws EkidenError `bad_input` */
export function recruit(text: string): Recruit {
  const [, who = text, agent] = /^([^@]*)@(.*)$/s.exec(text) ?? [];
  const [, name = who, role = ""] = /^([^:]*):(.*)$/s.exec(who) ?? [];
  const mate = { name: teammateName(name.trim()), role: role.trim() };
  return agent === undefined ? mate : { ...mate, agent: agentSpec(agent.trim()) };
}
