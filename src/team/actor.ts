/** The author of a command line: a person, or the member in whose shell it was typed. */
import { type Name, name, PERSON } from "../core/ids.ts";
import type { Store } from "../ports/index.ts";
import { memberShells } from "../project/member-shell.ts";

/** A member acts as itself in its own team only; in the team of another project it acts as a person. */
export async function actorOf(
  { env }: { readonly env: NodeJS.ProcessEnv },
  { roster }: Store,
): Promise<Name> {
  const shells = memberShells(env);
  if (shells.length === 0) return PERSON;
  const hosts = await roster.hosts();
  const isOwn = (job: string): boolean =>
    job
      .split(":")
      .some((tag) => hosts.some(({ identity }) => identity !== "" && tag.startsWith(`${identity}.`)));
  // The outermost shell of the team is the member's own; a shell inside it may claim to be another member's.
  const own = shells.findLast(({ member, job }) => member !== "" && isOwn(job));
  return own ? name(own.member) : PERSON;
}
