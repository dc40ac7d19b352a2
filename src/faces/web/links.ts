/**
 * Links to one team for other people: each with a name, a role and an end. Kept beside the token of the page, in the person's own folder,
 * with a hash of their tokens: a reader of the file cannot use them. Read again at each request, so that a link which was ended is refused
 * at once, also by another page of the project.
 */
import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";
import { systemClock } from "../../adapters/clock.ts";
import { isOurs, jsonIn, replaceOwnFile } from "../../adapters/small-files.ts";
import { badInput, notFound } from "../../core/errors.ts";
import { OWNER, PERSON, quote } from "../../core/ids.ts";
import { fileOf } from "./own-page.ts";
import { type Acted, ROLES, type ShareLink } from "./wire.ts";

type Kept = ShareLink & { readonly hash: string };

const LINKS_MAX = 200;
const HOURS_MAX = 24 * 366;

const hashOf = (token: string): string => createHash("sha256").update(token).digest("hex");

export class Links {
  private readonly path: string;

  constructor(cwd: string) {
    this.path = fileOf({ cwd, readOnly: false }).replace(/\.json$/, "-links.json");
  }

  /** Null for a token that is none, or has ended. */
  find(token: string): ShareLink | null {
    const hash = hashOf(token);
    return this.read().find((link) => link.hash === hash) ?? null;
  }

  list(team: string): ShareLink[] {
    return this.read()
      .filter((link) => link.team === team)
      .map(({ hash: _, ...link }) => link);
  }

  /** Returns the token. @throws EkidenError `bad_input` */
  add(given: {
    readonly name: string;
    readonly role: string;
    readonly team: string;
    readonly hours: number;
  }): string {
    const name = given.name.trim();
    const role = ROLES.find((one) => one === given.role);
    if (!/^[\p{L}\p{N}][\p{L}\p{N} ._'-]{0,39}$/u.test(name))
      throw badInput(
        `${quote(given.name)} is no name for the journal. Give letters, digits, spaces and . _ ' -, at most 40.`,
      );
    if ([OWNER, PERSON].includes(name.toLowerCase()))
      throw badInput(`${quote(name)} is the word for the owner of the page. Give another name.`);
    if (!role) throw badInput(`A link is for one of: ${ROLES.join(", ")}.`);
    if (!(given.hours > 0 && given.hours <= HOURS_MAX))
      throw badInput("A link ends after at least a moment and at most a year.");
    const links = this.read();
    if (links.length >= LINKS_MAX) throw badInput(`There are ${LINKS_MAX} links already. End some first.`);
    const token = randomBytes(24).toString("base64url");
    const until = systemClock.now() + given.hours * 3_600_000;
    const id = randomBytes(4).toString("hex");
    this.write([...links, { id, name, role, team: given.team, until, hash: hashOf(token) }]);
    return token;
  }

  /** @throws EkidenError `not_found` */
  end(id: string, team: string): ShareLink {
    const links = this.read();
    const link = links.find((one) => one.id === id && one.team === team);
    if (!link) throw notFound("There is no such link any more.");
    this.write(links.filter((one) => one !== link));
    return link;
  }

  private read(): Kept[] {
    const known = isOurs(this.path) ? jsonIn<unknown>(this.path) : null;
    const now = systemClock.now();
    return (Array.isArray(known) ? (known as Partial<Kept>[]) : []).filter(
      (one): one is Kept =>
        typeof one?.hash === "string" &&
        typeof one.name === "string" &&
        typeof one.team === "string" &&
        ROLES.some((role) => role === one.role) &&
        typeof one.until === "number" &&
        one.until > now,
    );
  }

  private write(links: readonly Kept[]): void {
    replaceOwnFile(this.path, `${JSON.stringify(links)}\n`);
  }
}

const CHANGE = z.union([
  z.strictObject({ name: z.string(), role: z.string(), hours: z.number() }),
  z.strictObject({ end: z.string() }),
]);

/** Adds or ends a link for the page. The answer's text is the token of a new link. @throws EkidenError */
export function changeLinks(links: Links | undefined, team: string, body: unknown): Acted {
  const { data, success } = CHANGE.safeParse(body);
  if (!success || links === undefined) throw badInput("This page cannot do that to links.");
  if ("end" in data) return { ok: true, text: `The link of ${links.end(data.end, team).name} has ended.` };
  return { ok: true, text: links.add({ ...data, team }) };
}
