/** The pull requests of a team, for every face. Pure. */

import { counted, type View } from "../views/view.ts";
import type { Tracked } from "./memory.ts";

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

export function forgeRow({
  task,
  subject,
  issue,
  number: request,
  state,
  status,
  memory,
}: Tracked): ForgeRow {
  const { rounds, strangers, waits } = memory;
  const isDead = status === "failed" || status === "cancelled";
  const known = { taken: "its owner", work: "its owner", opening: "its pull request" };
  const alive = state in known ? known[state as keyof typeof known] : waits || "its checks";
  const isOver = state === "merged" || state === "closed";
  const waitsFor = isOver ? "" : isDead ? `you: its task is ${status}` : alive;
  const shown: string = state === "taken" ? "issue" : state === "work" ? "open" : state;
  const { checks, reviews } = rounds;
  return {
    task,
    subject,
    issue,
    request,
    state: shown,
    waitsFor,
    rounds: { checks, reviews },
    strangers,
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
