/** A fork of the team: its rows, its files, and the person's word for the tasks that were theirs. The files come first: without rows they are nothing. */
import { replaceOwnFile, textIn } from "../../../adapters/small-files.ts";
import { badInput } from "../../../core/errors.ts";
import {
  DEFAULT_TEAM,
  type Instant,
  instant,
  type Name,
  name,
  PERSON,
  quote,
  taskId,
} from "../../../core/ids.ts";
import { tried } from "../../../core/tried.ts";
import { counted } from "../../../core/views/view.ts";
import type { Forked, ForkPoint, Store } from "../../../ports/index.ts";
import { forkFolder } from "../../../project/fork-folder.ts";
import { personalFile, userFolder } from "../../../project/own-folders.ts";
import { sqlitePath } from "../../../project/store-address.ts";
import { Provenance } from "../../../project/trust/provenance.ts";
import type { Done } from "../done.ts";
import { notDecidedBy } from "../tasks.ts";
import { type ForkFiles, makeFiles } from "./files.ts";

export type ForkedData = Forked & ForkFiles;
type Asked = {
  /** A line of the journal (`120`), a time, or a task (`#3`): before its last attempt. Nothing: now. */
  readonly at?: string | undefined;
  readonly team?: string | undefined;
};
/** `url`: of the store. */
export type Where = { readonly cwd: string; readonly url: string };

/** @throws EkidenError `bad_input` | `not_found` | `name_taken` | `not_permitted` (a member) */
export async function fork(
  store: Store,
  { cwd, url }: Where,
  by: Name,
  asked: Asked,
): Promise<Done<ForkedData>> {
  if (by !== PERSON) throw notDecidedBy(by, "Ask the person with ask_person.");
  const wanted = pointOf(asked.at, Date.now());
  const point = await store.forks.point(wanted);
  const to = await freeName(store, cwd, asked.team);
  const files = await makeFiles(store, cwd, to, point);
  const letter = `This team is a fork of team ${store.team}, as it was at ${new Date(point.at).toISOString()}. What happened there since then is not in this conversation. The files of the project are in ${files.folder}. Background commands of then do not run here. Look at the files before you continue.`;
  const made = await store.forks.make(to, { seq: point.seq }, by, letter);
  keepPlace({ cwd, url }, files.folder, to);
  await keepWord(store, to, url);
  const data = { ...made, ...files };
  return { data, text: forkedText(data) };
}

/** @throws EkidenError `bad_input` */
export function pointOf(text: string | undefined, now: number): ForkPoint {
  if (text === undefined) return {};
  if (/^\d+$/.test(text)) return { seq: Number(text) };
  if (/^(?:#|task\b)/i.test(text)) return { task: taskId(text) };
  const at = timeOf(text, now);
  if (at !== null && at >= now + 1_000)
    throw badInput(
      `--at ${quote(text)} has not come yet. Without --at the fork is the team as it is now; of another day give the date, too (2026-11-29T14:30).`,
    );
  if (at !== null) return { at };
  throw badInput(
    `--at ${quote(text)} is not a point of the journal. Give the number of a line (120; ekiden log --json shows them), a time (14:30, or 2026-11-29T14:30:00Z), or a task ("#3": before its last attempt).`,
  );
}

function timeOf(text: string, now: number): Instant | null {
  const [, hours, minutes, seconds = "0"] = /^([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/.exec(text) ?? [];
  if (hours !== undefined) {
    const today = new Date(now);
    today.setHours(Number(hours), Number(minutes), Number(seconds), 999);
    return instant(today.getTime());
  }
  const at = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : instant(at);
}

/** Of a fork that was deleted, or killed while it was made, the folder may be there. */
async function freeName(store: Store, cwd: string, wanted: string | undefined): Promise<Name> {
  if (wanted !== undefined) return name(wanted);
  const known = await store.teams();
  const base = store.team === DEFAULT_TEAM ? "fork" : `${store.team.slice(0, 24)}-fork`;
  for (let nth = 1; ; nth += 1) {
    const one = name(nth === 1 ? base : `${base}-${nth}`);
    if (!known.includes(one) && forkFolder(cwd, one) === null) return one;
  }
}

/** Commands in that folder find the store. The address of a server may hold a password: it is not kept. */
function keepPlace({ cwd, url }: Where, folder: string, team: Name): void {
  const known = tried(() => JSON.parse(textIn(personalFile(cwd)) || "{}"), {}) as object;
  const path = sqlitePath(url, cwd);
  const settings = { ...known, ...(path !== null && { store: path }), team };
  replaceOwnFile(personalFile(folder), `${JSON.stringify(settings, null, 2)}\n`);
}

/** What the person wrote there is the person's word in the fork, too. */
async function keepWord(store: Store, to: Name, url: string): Promise<void> {
  const provenance = new Provenance(userFolder());
  const other = await store.forTeam(to);
  try {
    const texts = (await other.board.tasks()).map(({ description }) => description);
    const own = texts.filter(
      (text) => text !== "" && provenance.isSigned({ store: url, team: store.team }, text),
    );
    tried(() => provenance.sign({ store: url, team: to }, own), undefined);
  } finally {
    await other.close();
  }
}

function forkedText({
  team,
  from,
  seq,
  at,
  counts,
  members,
  unread,
  folder,
  takenBack,
  said,
}: ForkedData): string {
  const states = [
    ...(counts.completed > 0 ? [`${counts.completed} completed`] : []),
    ...(counts.inProgress > 0 ? [`${counts.inProgress} in progress`] : []),
    ...(counts.pending > 0 ? [`${counts.pending} to do`] : []),
    ...(counts.failed > 0 ? [`${counts.failed} failed`] : []),
  ];
  const when = new Date(at).toISOString().slice(0, 19).replace("T", " ");
  return [
    `made team ${team} of ${from}, as it was at line ${seq} (${when} UTC): ${counted(counts.total, "task")}${states.length > 0 ? ` (${states.join(", ")})` : ""}, ${counted(members, "member")}, ${counted(unread, "letter")} unread`,
    `its files are in ${folder}${takenBack > 0 ? `, without later changes of ${counted(takenBack, "file")}` : ""}`,
    ...said,
    `continue there: ekiden --team ${team} resume; another model: --model PROVIDER/MODEL; both side by side: ekiden compare ${from} ${team}`,
  ].join("\n");
}
