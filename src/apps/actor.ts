/**
 * The author of a command line: a person, or the member in whose shell it was typed. This prevents mistakes, not attacks: a
 * shell can drop a variable.
 */
import { hostname } from "node:os";
import { type Name, name, PERSON } from "../core/ids.ts";
import { MEMBER_VARIABLE } from "../core/member.ts";
import type { Store } from "../ports/index.ts";
import type { Invocation } from "./invocation.ts";

/** A member acts as itself in its own team only; in the team of another project it acts as a person. */
export async function actorOf({ env }: Invocation, { roster }: Store): Promise<Name> {
  const member = env[MEMBER_VARIABLE];
  if (!member) return PERSON;
  const pids = [...(env.EKIDEN_JOB ?? "").matchAll(/(\d+)-[0-9a-f]+\.\d+;/g)].map(([, pid]) => Number(pid));
  const hosts = await roster.hosts();
  const isOwn = hosts.some(({ machine, pid }) => machine === hostname() && pids.includes(pid));
  return isOwn ? name(member) : PERSON;
}
