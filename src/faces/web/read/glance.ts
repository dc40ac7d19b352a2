/** A team in a few lines, for the list of all: its goal, its progress, its questions, and the present acts of its members. */
import { systemClock } from "../../../adapters/clock.ts";
import type { Outline } from "../../../core/board/task.ts";
import { timeLeft } from "../../../core/board/time-left.ts";
import { callsOf, textOf } from "../../../core/conversation/chat.ts";
import { LEAD, type Name, PERSON } from "../../../core/ids.ts";
import { taskOf } from "../../../core/picture/task.ts";
import type { LiveOutput } from "../../../core/text/live-output.ts";
import { callText } from "../../../core/views/call-text.ts";
import type { ListedTeam } from "../../../core/views/ps.ts";
import type { Cursor, Store } from "../../../ports/index.ts";
import { listedTeam } from "../../../team/queries/all-teams.ts";
import { requests } from "../../../team/queries/requests.ts";
import type { TeamGlance } from "../wire.ts";

const SHOWN_MAX = 3;
const TEXT_MAX = 300;
const LINE_MAX = 160;
const NOTES = 30;
/** The page asks every few seconds; these need the whole board, and change slowly. */
const FRESH_MS = 15_000;
/** The last entries of a conversation, of which one says what the member does. */
const ENTRIES = 6;

type Slow = { readonly goal: string; readonly left: number | null };
type Kept = Slow & { readonly at: number; readonly of: string; readonly isOn: boolean };
const kept = new Map<string, Kept>();

export const unread = (team: ListedTeam): TeamGlance => ({
  ...team,
  ...{ key: null, goal: "", left: null, asks: [], atWork: [] },
});

export async function glance(
  key: string | null,
  cwd: string,
  store: Store,
  live: (store: Store) => Promise<readonly LiveOutput[]>,
): Promise<TeamGlance> {
  const listed = await listedTeam(cwd, store);
  const isOn = listed.state === "needs you" || listed.state === "working";
  const asks = isOn && listed.questions > 0 ? (await requests(store)).requests : [];
  const printing = isOn ? await live(store).catch(() => []) : [];
  const atWork: TeamGlance["atWork"][number][] = [];
  for (const { name, activity, task: id } of isOn ? await store.roster.members() : []) {
    if (activity.phase !== "work" || atWork.length === SHOWN_MAX) continue;
    const task = id === null ? null : await store.board.task(id);
    atWork.push({
      who: name,
      task: task ? { id: task.id, subject: task.subject } : null,
      line: lastLine(printing, name) || (await lastDone(store, name)),
    });
  }
  const { goal, left } = await slow(listed, store, isOn);
  return {
    ...listed,
    ...{ key, goal, left, atWork },
    asks: asks.slice(0, SHOWN_MAX).map(({ by, text }) => ({ by, text: text.slice(0, TEXT_MAX) })),
  };
}

async function slow(listed: ListedTeam, store: Store, isOn: boolean): Promise<Slow> {
  const key = `${listed.cwd}\n${listed.team}`;
  const of = `${listed.since} ${JSON.stringify(listed.counts)}`;
  const known = kept.get(key);
  const now = systemClock.now();
  if (known?.isOn === isOn && (isOn ? now - known.at < FRESH_MS : known.of === of)) return known;
  const made = {
    at: now,
    of,
    isOn,
    goal: await goalOf(store),
    left: isOn ? await leftOf(store, listed, now) : null,
  };
  kept.set(key, made);
  return made;
}

async function leftOf({ board }: Store, { working }: ListedTeam, now: number): Promise<number | null> {
  const tasks = (JSON.parse(await board.outlines()) as Outline[]).map(taskOf);
  return timeLeft(new Map(tasks.map((task) => [task.id, task])), working, now)?.all ?? null;
}

/** The person's first message to the lead after the end of the run before. */
export async function goalOf({ mail, journal }: Pick<Store, "mail" | "journal">): Promise<string> {
  const notes = (await mail.box(LEAD, NOTES, PERSON)).filter(({ body }) => body.kind === "note");
  const { events } = await journal.read("" as Cursor, { types: ["team.finished"] });
  const ends = events.map(({ at }) => at).filter((at) => notes.some((note) => note.at > at));
  const first = notes.find(({ at }) => at > (ends.at(-1) ?? 0));
  const text = first?.body.kind === "note" ? first.body.text : "";
  return (text.trim().split("\n")[0] ?? "").slice(0, TEXT_MAX);
}

function lastLine(printing: readonly LiveOutput[], who: Name): string {
  const found = printing.findLast((one) => one.who === who);
  if (!found) return "";
  const line = found.text.trimEnd().split("\n").at(-1)?.trim() ?? "";
  const command = found.kind === "command" ? (found.command.split("\n")[0] ?? "") : "";
  return (line || command).slice(0, LINE_MAX);
}

/** The call that it made last, or its last words. */
async function lastDone({ transcript }: Store, who: Name): Promise<string> {
  for (const { entry } of (await transcript.last(who, ENTRIES)).toReversed()) {
    if (entry.kind !== "said") continue;
    const call = callsOf(entry.message).at(-1);
    const text = call ? `${call.tool} ${callText(call)}` : textOf(entry.message);
    return (text.trim().split("\n")[0] ?? "").slice(0, LINE_MAX);
  }
  return "";
}
