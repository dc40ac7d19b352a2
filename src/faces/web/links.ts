/**
 * One link a team with which other people look at it. Kept beside the token of the page, in the person's own folder, as a hash: a reader of
 * the file cannot use it. Read again at each request, so that a link which was ended is refused at once, also by another page of the project.
 */
import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";
import { systemClock } from "../../adapters/clock.ts";
import { isOurs, jsonIn, replaceOwnFile } from "../../adapters/small-files.ts";
import { badInput } from "../../core/errors.ts";
import { fileOf } from "./own-page.ts";
import type { Acted, ShareLink } from "./wire.ts";

type Kept = ShareLink & { readonly team: string; readonly hash: string };

const HOURS_MAX = 24 * 366;
// Links of older versions had a name and a role. They count no longer: several of a team could be neither shown nor ended.
const KEPT = z.strictObject({ team: z.string(), until: z.number(), hash: z.string() });
const CHANGE = z.union([z.strictObject({ hours: z.number() }), z.strictObject({ end: z.literal(true) })]);

const hashOf = (token: string): string => createHash("sha256").update(token).digest("hex");

export class Links {
  private readonly path: string;

  constructor(cwd: string) {
    this.path = fileOf({ cwd, readOnly: false }).replace(/\.json$/, "-links.json");
  }

  /** Null for a token that is none, or has ended. */
  teamOf(token: string): string | null {
    const hash = hashOf(token);
    return this.read().find((link) => link.hash === hash)?.team ?? null;
  }

  /** The link that works now. */
  of(team: string): ShareLink | null {
    const link = this.read().find((one) => one.team === team);
    return link ? { until: link.until } : null;
  }

  /** Ends the one before. Returns the token. @throws EkidenError `bad_input` */
  make(team: string, hours: number): string {
    if (!(hours > 0 && hours <= HOURS_MAX)) throw badInput("A link must end in the future, within a year.");
    const token = randomBytes(24).toString("base64url");
    const until = systemClock.now() + hours * 3_600_000;
    this.write([...this.others(team), { team, until, hash: hashOf(token) }]);
    return token;
  }

  end(team: string): void {
    this.write(this.others(team));
  }

  private others(team: string): Kept[] {
    return this.read().filter((one) => one.team !== team);
  }

  private read(): Kept[] {
    const known = isOurs(this.path) ? jsonIn<unknown>(this.path) : null;
    const now = systemClock.now();
    return (Array.isArray(known) ? known : []).filter(
      (one): one is Kept => KEPT.safeParse(one).success && one.until > now,
    );
  }

  private write(links: readonly Kept[]): void {
    replaceOwnFile(this.path, `${JSON.stringify(links)}\n`);
  }
}

/** Makes or ends the link for the page. The answer's text is the token of a new link. @throws EkidenError */
export function changeLink(links: Links | undefined, team: string, body: unknown): Acted {
  const { data, success } = CHANGE.safeParse(body);
  if (!success || links === undefined) throw badInput("This page cannot do that to links.");
  if ("hours" in data) return { ok: true, text: links.make(team, data.hours) };
  links.end(team);
  return { ok: true, text: "The link has ended." };
}
