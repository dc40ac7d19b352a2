/** The result of a pruning, or of its rehearsal, as data and views. */

import type { Member } from "../board/member.ts";
import type { Instant, Name } from "../ids.ts";
import { type Cell, right, type View } from "./view.ts";

export type PrunedTeam = {
  readonly name: Name;
  readonly facts: number;
  /** Of conversations. */
  readonly entries: number;
  /** "yes", "no", or why it was kept although it is old. */
  readonly deleted: string;
};
export type PruneData = {
  readonly before: Instant;
  readonly dryRun: boolean;
  readonly teams: readonly PrunedTeam[];
  readonly outputFiles: number;
  /** That no mail and no conversation names. */
  readonly images: number;
  readonly gates: number;
};

export const isActive = ({ activity }: Member): boolean => activity.phase !== "shutdown";

export function pruneViews({ before, dryRun, teams, outputFiles, images, gates }: PruneData): View[] {
  const columns = [{ name: "team" }, right("facts"), right("entries"), { name: "team deleted" }];
  const rows = teams.map(({ name, facts, entries, deleted }): Cell[] => [
    { text: name, tone: "strong" },
    { text: String(facts) },
    { text: String(entries) },
    { text: deleted === "no" ? "" : deleted, tone: deleted === "yes" ? "warn" : "dim" },
  ]);
  const when = new Date(before).toISOString();
  return [
    { kind: "table", columns, rows, empty: "The store has no teams." },
    {
      kind: "figures",
      figures: [
        { label: dryRun ? "would be deleted, from before" : "deleted, from before", text: when },
        { label: "output files", text: String(outputFiles) },
        { label: "images", text: String(images) },
        { label: "gate records", text: String(gates) },
      ],
    },
  ];
}
