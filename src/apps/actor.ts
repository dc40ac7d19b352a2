/**
 * Who speaks on a command line: a person, or the member in whose shell it was typed. No wall, for a shell can drop a variable; it
 * keeps a member from being taken for the person.
 */
import { hostname } from "node:os";
import { EkidenError } from "../core/errors.ts";
import { LEAD, type Name, name, PERSON } from "../core/ids.ts";
import { MEMBER_VARIABLE } from "../core/member.ts";
import type { Store } from "../ports/index.ts";
import type { Invocation } from "./invocation.ts";

/** A member speaks as itself in its own team only: what it does with another project's team, it does like a person. */
export async function actorOf({ env }: Invocation, { roster }: Store): Promise<Name> {
  const member = env[MEMBER_VARIABLE];
  if (!member) return PERSON;
  const pids = [...(env.EKIDEN_JOB ?? "").matchAll(/(\d+)-[0-9a-f]+\.\d+;/g)].map(([, pid]) => Number(pid));
  const hosts = await roster.hosts();
  const isOwn = hosts.some(({ machine, pid }) => machine === hostname() && pids.includes(pid));
  return isOwn ? name(member) : PERSON;
}

/** For what a teammate may not decide. @throws EkidenError `not_permitted` naming what to do `instead` */
export async function leadOrPerson(call: Invocation, store: Store, instead: string): Promise<Name> {
  const who = await actorOf(call, store);
  if (who === LEAD || who === PERSON) return who;
  throw refusal(who, instead);
}

/** @throws EkidenError `not_permitted` naming what to do `instead` */
export async function onlyPerson(call: Invocation, store: Store, instead: string): Promise<void> {
  const who = await actorOf(call, store);
  if (who !== PERSON) throw refusal(who, instead);
}

const refusal = (who: Name, instead: string): EkidenError =>
  new EkidenError("not_permitted", `this is a command of ${who}, who may not decide that. ${instead}`);
