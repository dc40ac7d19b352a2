/** The pull requests of a team, for every face. Pure. */
import { counted, type View } from "../views/view.ts";
import type { RequestState, Tracked } from "./memory.ts";

export type ForgeRow = {
  readonly task: number;
  readonly subject: string;
  readonly issue: number | null;
  readonly request: number | null;
  readonly state: string;
  readonly waitsFor: string;
  /** Of checks and of reviews. */
  readonly rounds: { readonly checks: number; readonly reviews: number };
  /** Words of people without rights, which no member reads. */
  readonly strangers: number;
};

function waitsFor({ state, status, memory }: Tracked): string {
  if (state === "merged" || state === "closed") return "";
  if (status === "failed" || status === "cancelled") return `you: its task is ${status}`;
  if (state === "opening") return "its pull request";
  return state === "open" ? memory.waits || "its checks" : "its owner";
}

const STATES: Partial<Record<RequestState, string>> = { taken: "issue", work: "open" };

export function forgeRow(tracked: Tracked): ForgeRow {
  const { task, subject, issue, number: request, state, memory } = tracked;
  const { rounds, strangers } = memory;
  return {
    ...{ task, subject, issue, request, state: STATES[state] ?? state, waitsFor: waitsFor(tracked) },
    ...{ rounds: { checks: rounds.checks, reviews: rounds.reviews }, strangers },
  };
}

export const forgeViews = (rows: readonly ForgeRow[]): readonly View[] => [
  {
    kind: "table",
    columns: [
      ...["task", "issue", "request", "state", "rounds"].map((name) => ({ name })),
      { name: "waits for", grow: true },
      { name: "subject", grow: true, minor: true },
    ],
    rows: rows.map(({ task, subject, issue, request, state, waitsFor, rounds, strangers }) => [
      { text: `#${task}` },
      ...[issue, request].map((one) => ({ text: one === null ? "" : `#${one}` })),
      { text: state, tone: state === "merged" ? "good" : state === "closed" ? "bad" : "plain" },
      { text: `${rounds.checks} checks, ${rounds.reviews} reviews` },
      {
        text: `${waitsFor}${strangers > 0 ? ` (${counted(strangers, "text")} of others)` : ""}`,
        tone: /^(?:a person|you)/.test(waitsFor) ? "warn" : "plain",
      },
      { text: subject },
    ]),
    empty: "No issue and no pull request yet.",
  },
];
