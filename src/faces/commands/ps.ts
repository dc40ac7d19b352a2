/** `ekiden ps`: the teams of this person in all projects, and which of them need an answer. */
import { systemClock } from "../../adapters/clock.ts";
import { messageOf } from "../../core/errors.ts";
import { PERSON } from "../../core/ids.ts";
import { DEFAULT_SETTINGS } from "../../core/settings.ts";
import { inOrder, type ListedTeam, psViews, type TeamState } from "../../core/views/ps.ts";
import type { Store } from "../../ports/index.ts";
import { type KnownTeam, knownTeams } from "../../project/known-teams.ts";
import { withTeam } from "../../project/open.ts";
import { teamFigures } from "../../team/queries/teams.ts";
import type { Invocation } from "../invocation.ts";

/** Teams that are done are listed for this long without --all. */
const DONE_MS = 86_400_000;

export async function run(
  call: Invocation,
  _args: readonly string[],
  { all = false }: { all?: boolean },
): Promise<undefined> {
  const now = systemClock.now();
  const listed: ListedTeam[] = [];
  for (const known of knownTeams()) listed.push(await read(call, known));
  const isRecent = ({ state, since }: ListedTeam): boolean =>
    state !== "done" || now - (since ?? 0) < DONE_MS;
  await call.show({ now, teams: inOrder(all ? listed : listed.filter(isRecent)) }, psViews);
}

/** A team that cannot be read does not hide the others. */
async function read(call: Invocation, { cwd, team, file }: KnownTeam): Promise<ListedTeam> {
  const unreadable = (note: string): ListedTeam => ({
    ...{ team, cwd, state: "unreadable", questions: 0, members: 0, working: 0 },
    ...{ counts: null, usd: 0, since: null, note },
  });
  if (file === null) return unreadable(`on a server; see ekiden --cwd ${cwd} --team ${team} team`);
  // What the project brings is not asked for: the file is known.
  const settings = { ...DEFAULT_SETTINGS, team, store: `sqlite:${file}` };
  const place = { cwd, env: call.env, settings: () => Promise.resolve(settings) };
  return await withTeam(place, "look", (store) => listedOf(cwd, store)).catch((error: unknown) =>
    unreadable(messageOf(error)),
  );
}

async function listedOf(cwd: string, store: Store): Promise<ListedTeam> {
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
  const usd = roster.reduce((sum, one) => sum + one.usd, 0);
  const since = roster.map((one) => one.since).sort((a, b) => b - a)[0] ?? null;
  return { team, cwd, state: at(), questions, members, working, counts, usd, since, note: "" };
}
