/** The landing queue as data and views: waiting tasks and their bases, running gates, and the gated tree of each landed commit. */
import { type LandingQueue, lineUp, type Waiting } from "../board/landing.ts";
import { reasonWords } from "../board/reason.ts";
import { redViews } from "./red-target.ts";
import { type Cell, type Column, type FeedLine, span, type View } from "./view.ts";

export type LandingRow = Pick<Waiting, "task" | "team" | "subject" | "by" | "branch" | "target"> & {
  /** 1 for the first; null for one that waits for a reservation, or for another base. */
  readonly place: number | null;
  readonly state: Waiting["state"] | "held";
  readonly waitsMs: number;
  readonly gateMs: number | null;
  readonly commit: string | null;
  /** The reason why it waits, or the result so far. */
  readonly note: string;
};
export type ReservedRow = {
  readonly task: number;
  readonly team: string;
  readonly branch: string;
  readonly why: string;
  readonly refusals: number;
  readonly endsMs: number;
};
/** `tree`: the one that the gate has seen; it is that of the commit. */
export type LandedRow = {
  readonly at: number;
  readonly task: number;
  readonly team: string;
  readonly commit: string;
  readonly tree: string;
  readonly subject: string;
  readonly command: string;
  readonly gateMs: number;
};
export type LandingsData = {
  readonly waiting: readonly LandingRow[];
  readonly reserved: readonly ReservedRow[];
  readonly landed: readonly LandedRow[];
  /** The sentence about a red target. */
  readonly red?: string;
};

export function landingsData(
  landings: LandingQueue,
  landed: readonly LandedRow[],
  now: number,
): LandingsData {
  const targets = [...new Set(landings.waiting.map(({ target }) => target))].sort();
  const rowOf = (entry: Waiting, place: number | null, note: string): LandingRow => {
    const { task, team, subject, by, branch, target, commit } = entry;
    const state = place === null && entry.state !== "base" ? "held" : entry.state;
    const gateMs = entry.gateSince === null ? null : now - entry.gateSince;
    return {
      ...{ task, team, subject, by, branch, target, commit, place, state, gateMs, note },
      waitsMs: now - entry.since,
    };
  };
  const waiting = targets.flatMap((target) => {
    const { order, held, atBase } = lineUp(landings, target, now);
    return [
      ...order.map((entry, i) => rowOf(entry, i + 1, entry.why ? reasonWords(entry.why) : "")),
      ...held.map(({ entry, for: blocker }) =>
        rowOf(entry, null, `#${blocker.task} was refused and lands first`),
      ),
      ...atBase.map((entry) => rowOf(entry, null, `${target} is red without it`)),
    ];
  });
  const reserved = landings.reservations
    .filter(({ until }) => until > now)
    .map(({ task, team, branch, why, refusals, until }) => ({
      ...{ task, team, branch, refusals, why: reasonWords(why) },
      endsMs: until - now,
    }));
  return { waiting, reserved, landed };
}

export function landingsViews({ waiting, reserved, landed, red }: LandingsData): View[] {
  const columns: Column[] = [
    { name: "place", align: "right" },
    { name: "task" },
    { name: "subject", grow: true },
    { name: "by" },
    { name: "target", minor: true },
    { name: "state" },
    { name: "waits", align: "right" },
    { name: "on", minor: true },
  ];
  const rows = waiting.map((row): Cell[] => [
    { text: row.place === null ? "–" : String(row.place) },
    { text: `#${row.task}`, tone: "strong" },
    { text: row.subject },
    { text: row.by },
    { text: row.target },
    STATES[row.state](row),
    { text: span(row.waitsMs), tone: "dim" },
    { text: row.commit?.slice(0, 9) ?? "", tone: "dim" },
  ]);
  const lines = [
    ...reserved.map(
      (one): FeedLine => ({
        at: null,
        who: one.team,
        text: `#${one.task} was refused (${one.why}${one.refusals > 1 ? `, ${one.refusals} times` : ""}) and lands next; the others wait up to ${span(one.endsMs)} for it`,
        tone: "warn",
      }),
    ),
    ...landed.map(
      (one): FeedLine => ({
        at: one.at as FeedLine["at"],
        who: one.team,
        text: `#${one.task} landed as ${one.commit.slice(0, 9)} (${one.subject}); gated on its tree ${one.tree.slice(0, 9)}: ${one.command} (${span(one.gateMs)})`,
        tone: "good",
      }),
    ),
  ];
  return [
    ...redViews(red),
    { kind: "table", columns, rows, empty: "Nothing waits to land." },
    ...(lines.length > 0 ? [{ kind: "feed", lines, empty: "" } as const] : []),
  ];
}

export const STATES: Readonly<Record<LandingRow["state"], (row: LandingRow) => Cell>> = {
  waiting: () => ({ text: "waits", tone: "dim" }),
  held: ({ note }) => ({ text: `waits: ${note}`, tone: "warn" }),
  gate: ({ gateMs }) => ({ text: `gate runs (${span(gateMs ?? 0)})`, tone: "busy" }),
  base: ({ note }) => ({ text: `waits: ${note}`, tone: "warn" }),
  green: () => ({ text: "green", tone: "good" }),
  failed: ({ note }) => ({ text: `${note}, if the tasks ahead land`, tone: "bad" }),
};
