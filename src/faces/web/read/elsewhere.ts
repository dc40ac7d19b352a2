/** The teams of all projects of a person, for the first view of a page that may act; each is opened on the page when it is looked at. */
import { systemClock } from "../../../adapters/clock.ts";
import { notFound } from "../../../core/errors.ts";
import type { LiveOutput } from "../../../core/text/live-output.ts";
import { inOrder } from "../../../core/views/ps.ts";
import type { Store } from "../../../ports/index.ts";
import { type KnownTeam, knownTeams } from "../../../project/known-teams.ts";
import { openTeam } from "../../../project/open.ts";
import { secretsOf } from "../../../project/secrets.ts";
import { sqlitePath } from "../../../project/store-address.ts";
import { placeOf, readListed } from "../../../team/queries/all-teams.ts";
import { liveReader } from "../../../team/queries/live.ts";
import type { Project } from "../project.ts";
import type { AllTeams, TeamGlance } from "../wire.ts";
import { glance, unread } from "./glance.ts";

/** Before the id of a team of another project; no name begins with it. */
const MARK = "~";

export const isElsewhere = (text: string): boolean => text.startsWith(MARK);

/** Those of this page's store, then those that this person has run in other projects. */
export async function allTeams(
  { settings, cwd, env }: Project,
  own: readonly Store[],
  isAlone: boolean,
): Promise<AllTeams> {
  const file = sqlitePath(settings.store, cwd);
  const listed: TeamGlance[] = [];
  const live = liveReader(settings, cwd);
  for (const store of own) listed.push(await glance(store.team, cwd, store, live));
  for (const known of isAlone || env === undefined ? [] : knownTeams()) {
    if (known.cwd === cwd && known.file === file) continue;
    const key = known.file === null ? null : `${MARK}${known.id}`;
    const read = await readListed(known, env ?? {}, (store) =>
      glance(key, known.cwd, store, (of) => liveElsewhere(known, env ?? {}, of)),
    );
    if (read !== null) listed.push("key" in read ? read : unread(read));
  }
  return { now: systemClock.now(), teams: inOrder(listed) as TeamGlance[] };
}

/** A folder that is there no more has nothing that prints. */
const liveElsewhere = async (
  known: KnownTeam,
  env: NodeJS.ProcessEnv,
  store: Store,
): Promise<readonly LiveOutput[]> => await liveReader(await placeOf(known, env).settings(), known.cwd)(store);

/** Opens a team of another project. The caller closes its store. @throws EkidenError `not_found` */
export async function openElsewhere(
  text: string,
  page: Project,
): Promise<{ readonly store: Store; readonly project: Project }> {
  const known = knownTeams().find(({ id }) => `${MARK}${id}` === text);
  if (known === undefined || known.file === null || page.env === undefined)
    throw notFound("This team is no longer known here. See Teams.");
  const place = placeOf(known, page.env);
  const settings = await place.settings();
  const { redact } = secretsOf(page.env, settings);
  return { store: await openTeam(place, "look"), project: projectOf(known, page, settings, redact) };
}

function projectOf(
  { cwd, file }: KnownTeam,
  page: Project,
  settings: Project["settings"],
  redact: Project["redact"],
): Project {
  const { version, env, launch } = page;
  const flags = ["--store", `sqlite:${file}`];
  return { settings, cwd, version, env, redact, launch: launch && { ...launch, cwd, flags, redact } };
}
