/** Identifies the visitor of a request: the owner of the page, who may act, or somebody with the link to one team, who only looks. */
import { notPermitted } from "../../core/errors.ts";
import { OWNER, PERSON } from "../../core/ids.ts";
import type { Store } from "../../ports/index.ts";
import { type Access, bearer, showsToken } from "./access.ts";
import type { Links } from "./links.ts";
import type { AllTeams, Overview } from "./wire.ts";

export type Visitor = {
  readonly mayAct: boolean;
  /** The only team of a link; null for the owner, who sees all. */
  readonly team: string | null;
};

/** Null: nobody who may come in. */
export function visitorOf(
  access: Access,
  links: Links | undefined,
  readOnly: boolean,
  authorization: string | undefined,
): Visitor | null {
  if (showsToken(access, authorization)) return { mayAct: !readOnly, team: null };
  const token = bearer(authorization);
  const team = token === null ? null : (links?.teamOf(token) ?? null);
  return team === null ? null : { mayAct: false, team };
}

export const STRANGER =
  "The token is missing or wrong, or the link has ended. Open the address that ekiden web printed, or ask for a new link.\n";

/** The time after which an ended link closes a page that is open. */
const LOOK_MS = 2_000;

/** Calls `end` once a visitor with a link is let in no more. Returns what stops the looking. */
export function whileLet({ team }: Visitor, isLet: () => boolean, end: () => void): () => void {
  if (team === null) return () => {};
  const look = setInterval(() => !isLet() && end(), LOOK_MS);
  return () => clearInterval(look);
}

/** For every request that is not a mere reading. @throws EkidenError `not_permitted` */
export function mustAct({ mayAct, team }: Visitor): void {
  if (mayAct) return;
  throw notPermitted(
    team === null ? "This page is read-only: it was started with --read-only." : "Your link is read-only.",
  );
}

/** @throws EkidenError `not_permitted` */
export function mustSee({ team }: Visitor, wanted: string): void {
  if (team !== null && team !== wanted) throw notPermitted("Your link is for another team.");
}

const SAID_MAX = 300;

/** Says in the journal that the owner of the page did what the team hears from "person". */
export async function tellOwner(store: Store, said: string): Promise<void> {
  const what = said.slice(0, SAID_MAX);
  await store.journal.note([{ type: "person.acted", name: OWNER, what, by: PERSON }]).catch(() => {}); // it is done all the same
}

export const seenBy = (all: Overview, { mayAct, team }: Visitor): Overview => ({
  ...all,
  readOnly: !mayAct,
  mayStart: all.mayStart && mayAct,
  ...(team !== null && { teams: all.teams.filter(({ name }) => name === team), first: team }),
});

export const allSeenBy = (all: AllTeams, { team }: Visitor): AllTeams =>
  team === null ? all : { ...all, teams: all.teams.filter(({ key }) => key === team) };
