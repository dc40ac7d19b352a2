/**
 * The author of a command line: a person, or the member in whose shell it was typed. This prevents mistakes, not attacks: a
 * shell can drop a variable.
 */
import { type Name, name, PERSON } from "../core/ids.ts";
import { MEMBER_VARIABLE } from "../core/member.ts";
import type { Store } from "../ports/index.ts";
import type { Invocation } from "./invocation.ts";

/** A member acts as itself in its own team only; in the team of another project it acts as a person. */
export async function actorOf({ env }: Invocation, { roster }: Store): Promise<Name> {
  const member = env[MEMBER_VARIABLE];
  if (!member) return PERSON;
  const tags = (env.EKIDEN_JOB ?? "").split(":");
  const hosts = await roster.hosts();
  const isOwn = hosts.some(
    ({ identity }) => identity !== "" && tags.some((tag) => tag.startsWith(`${identity}.`)),
  );
  return isOwn ? name(member) : PERSON;
}
