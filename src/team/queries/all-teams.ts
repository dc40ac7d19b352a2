/** The teams of a person in all projects, and which of them need an answer. Views: core/views/ps.ts. */
import { systemClock } from "../../adapters/clock.ts";
import { isEkidenError, messageOf } from "../../core/errors.ts";
import { PERSON } from "../../core/ids.ts";
import { DEFAULT_SETTINGS } from "../../core/settings/settings.ts";
import { openWindows } from "../../core/views/logins.ts";
import { inOrder, type ListedTeam, type TeamState } from "../../core/views/ps.ts";
import type { QuestionData } from "../../core/views/request.ts";
import type { Store } from "../../ports/index.ts";
import { type KnownTeam, knownTeams } from "../../project/known-teams.ts";
import { type Place, withTeam } from "../../project/open.ts";
import { standsStill } from "./hosts.ts";
import { requests } from "./requests.ts";
import { teamFigures } from "./teams.ts";

/** The settings of the project are not read: the file is known. */
export function placeOf({ cwd, team, file }: KnownTeam, env: NodeJS.ProcessEnv): Omit<Place, "store"> {
  const settings = { ...DEFAULT_SETTINGS, team, store: `sqlite:${file}` };
  return { cwd, env, settings: () => Promise.resolve(settings) };
}

/** A team that cannot be read does not hide the others. Null: it is in its store no more. */
export async function readListed<T extends ListedTeam>(
  known: KnownTeam,
  env: NodeJS.ProcessEnv,
  read: (store: Store) => Promise<T>,
): Promise<T | ListedTeam | null> {
  const { cwd, team, file } = known;
  const unreadable = (note: string): ListedTeam => ({
    ...{ team, cwd, state: "unreadable", questions: 0, members: 0, working: 0 },
    ...{ counts: null, usd: 0, since: null, limits: [], note },
  });
  if (file === null) return unreadable(`on a server; see ekiden --cwd ${cwd} --team ${team} team`);
  return await withTeam(placeOf(known, env), "look", read).catch((error: unknown) =>
    isEkidenError(error, "not_found") ? null : unreadable(messageOf(error)),
  );
}

export async function listedTeam(cwd: string, store: Store): Promise<ListedTeam> {
  const [figures, roster, open] = [
    await teamFigures(store),
    await store.roster.members(),
    await store.requests.open(),
  ];
  const { name: team, counts, members, running, waiting } = figures;
  const questions = open.filter(({ ask, of }) => of === PERSON || ask.kind === "question").length;
  const working = running ? roster.filter(({ activity }) => activity.phase === "work").length : 0;
  const at = (): TeamState => {
    if (running && questions > 0) return "needs you";
    if (running) return working > 0 ? "working" : "idle";
    return waiting ? "stopped" : "done";
  };
  const still = (await store.roster.hosts()).find(standsStill);
  const note = still ? `process ${still.pid} stands still` : "";
  const usd = roster.reduce((sum, one) => sum + one.usd, 0);
  const since = roster.map((one) => one.since).sort((a, b) => b - a)[0] ?? null;
  const limits = openWindows(await store.logins.list(), systemClock.now());
  return { team, cwd, state: at(), questions, members, working, counts, usd, since, limits, note };
}

/** Teams that are done are listed for this long without `all`. */
const DONE_MS = 86_400_000;

type Asked = ListedTeam & { readonly open?: readonly QuestionData[] };

/** Those of this person, who is needed first; with the questions that wait. */
export async function listedTeams(
  env: NodeJS.ProcessEnv,
  all: boolean,
): Promise<readonly (Asked & { readonly known: KnownTeam })[]> {
  const listed: (Asked & { readonly known: KnownTeam })[] = [];
  const now = systemClock.now();
  for (const known of knownTeams()) {
    const read = await readListed(known, env, async (store): Promise<Asked> => {
      const team = await listedTeam(known.cwd, store);
      if (team.state !== "needs you") return team;
      const open = (await requests(store)).requests.filter(
        ({ of, kind }) => of === PERSON || kind === "question",
      );
      return { ...team, open };
    });
    if (read === null) continue;
    const isRecent = read.state !== "done" || now - (read.since ?? 0) < DONE_MS;
    if (all || isRecent) listed.push({ ...read, known });
  }
  return inOrder(listed) as typeof listed;
}
