/** Identifies the visitor of a request (the owner of the page, or a person with a link, for one team and role), and its rights. */
import { notPermitted } from "../../core/errors.ts";
import { OWNER, PERSON } from "../../core/ids.ts";
import type { Store } from "../../ports/index.ts";
import { type Access, bearer, showsToken } from "./access.ts";
import type { Links } from "./links.ts";
import type { Act, AllTeams, Overview, Role } from "./wire.ts";

export type Visitor = {
  readonly role: Role;
  /** In the journal; "" for the owner, who is the person. */
  readonly name: string;
  /** The only team of a link. */
  readonly team: string | null;
};

/** Null: nobody who may come in. */
export function visitorOf(
  access: Access,
  links: Links | undefined,
  readOnly: boolean,
  authorization: string | undefined,
): Visitor | null {
  if (showsToken(access, authorization))
    return { role: readOnly ? "viewer" : "operator", name: "", team: null };
  const token = bearer(authorization);
  const link = token === null ? null : links?.find(token);
  if (!link) return null;
  return { role: readOnly ? "viewer" : link.role, name: link.name, team: link.team };
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

const isOwner = ({ role, team }: Visitor): boolean => team === null && role === "operator";

/** @throws EkidenError `not_permitted` */
export function mustOwn(visitor: Visitor): void {
  if (!isOwner(visitor)) throw notPermitted("Only the owner of the page may do that.");
}

/** @throws EkidenError `not_permitted` */
export function mustSee({ team }: Visitor, wanted: string): void {
  if (team !== null && team !== wanted) throw notPermitted("Your link is for another team.");
}

/** @throws EkidenError `not_permitted` */
export function mustDo(visitor: Visitor, act: Act): void {
  const { role, name } = visitor;
  if (role === "viewer")
    throw notPermitted(
      name === ""
        ? "This page is for looking only: it was started with --read-only."
        : "Your link is for looking only.",
    );
  if (role === "answerer" && act.do !== "answer")
    throw notPermitted("Your link is for answering questions only.");
  // Every other word, also a shortened one, would answer more than this once.
  if (role === "answerer" && act.do === "answer" && !/^(?:yes|no|\d*)$/.test(act.answer))
    throw notPermitted("Your link answers this once: it makes no rules.");
  if (act.do === "start" && act.options.trust && !isOwner(visitor))
    throw notPermitted("Only the owner of the page may trust the project.");
}

const SAID_MAX = 300;

/** Says in the journal which person did what the team hears from "person". */
export async function tellWho(store: Store, { name }: Visitor, said: string): Promise<void> {
  const what = said.slice(0, SAID_MAX);
  await store.journal.note([{ type: "person.acted", name: name || OWNER, what, by: PERSON }]).catch(() => {}); // it is done all the same
}

export const seenBy = (all: Overview, visitor: Visitor): Overview => ({
  ...all,
  role: visitor.role,
  readOnly: visitor.role !== "operator",
  mayStart: all.mayStart && visitor.role === "operator",
  mayShare: isOwner(visitor),
  ...(visitor.team !== null && {
    you: visitor.name,
    teams: all.teams.filter(({ name }) => name === visitor.team),
    first: visitor.team,
  }),
});

export const allSeenBy = (all: AllTeams, { team }: Visitor): AllTeams =>
  team === null ? all : { ...all, teams: all.teams.filter(({ key }) => key === team) };
