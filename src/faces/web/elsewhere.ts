/** The teams of all projects of a person, for the first view of a page that may act; each is opened on the page when it is looked at. */
import { systemClock } from "../../adapters/clock.ts";
import { EkidenError } from "../../core/errors.ts";
import { inOrder, type ListedTeam } from "../../core/views/ps.ts";
import type { Store } from "../../ports/index.ts";
import { type KnownTeam, knownTeams } from "../../project/known-teams.ts";
import { openTeam } from "../../project/open.ts";
import { secretsOf } from "../../project/secrets.ts";
import { sqlitePath } from "../../project/store-address.ts";
import { listedTeam, placeOf, readListed } from "../../team/queries/all-teams.ts";
import { requests } from "../../team/queries/requests.ts";
import type { Project } from "./teams.ts";
import type { AllTeams, TeamGlance } from "./wire.ts";

/** Before the id of a team of another project; no name begins with it. */
const MARK = "~";
const SHOWN_MAX = 3;
const TEXT_MAX = 300;

export const isElsewhere = (text: string): boolean => text.startsWith(MARK);

/** Those of this page's store, then those that this person has run in other projects. */
export async function allTeams(
  { settings, cwd, env }: Project,
  own: readonly Store[],
  isAlone: boolean,
): Promise<AllTeams> {
  const file = sqlitePath(settings.store, cwd);
  const listed: TeamGlance[] = [];
  for (const store of own) listed.push(await glance(store.team, cwd, store));
  for (const known of isAlone || env === undefined ? [] : knownTeams()) {
    if (known.cwd === cwd && known.file === file) continue;
    const key = known.file === null ? null : `${MARK}${known.id}`;
    const read = await readListed(known, env ?? {}, (store) => glance(key, known.cwd, store));
    if (read !== null) listed.push("key" in read ? read : { ...read, key: null, asks: [], atWork: [] });
  }
  return { now: systemClock.now(), teams: inOrder(listed) as TeamGlance[] };
}

async function glance(key: string | null, cwd: string, store: Store): Promise<TeamGlance> {
  const listed: ListedTeam = await listedTeam(cwd, store);
  const isOn = listed.state === "needs you" || listed.state === "working";
  const asks = isOn && listed.questions > 0 ? (await requests(store)).requests : [];
  const working = isOn ? await store.roster.members() : [];
  const atWork: TeamGlance["atWork"][number][] = [];
  for (const { name, activity, task: id } of working) {
    if (activity.phase !== "work" || atWork.length === SHOWN_MAX) continue;
    const task = id === null ? null : await store.board.task(id);
    atWork.push({ who: name, task: task ? { id: task.id, subject: task.subject } : null });
  }
  return {
    ...listed,
    key,
    asks: asks.slice(0, SHOWN_MAX).map(({ by, text }) => ({ by, text: text.slice(0, TEXT_MAX) })),
    atWork,
  };
}

/** Opens a team of another project. The caller closes its store. @throws EkidenError `not_found` */
export async function openElsewhere(
  text: string,
  page: Project,
): Promise<{ readonly store: Store; readonly project: Project }> {
  const known = knownTeams().find(({ id }) => `${MARK}${id}` === text);
  if (known === undefined || known.file === null || page.env === undefined)
    throw new EkidenError("not_found", "This team is not known here any more. See Teams.");
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
