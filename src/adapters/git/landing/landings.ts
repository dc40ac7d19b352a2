/** The landing queue of a project for those who only look or decide: nothing here lands. */

import {
  type Landings,
  lineUp,
  type Order,
  type Reservation,
  rankAt,
  type Waiting,
} from "../../../core/board/landing.ts";
import { badInput, notFound } from "../../../core/errors.ts";
import type { LandedRow } from "../../../core/views/landing.ts";
import { type Env, Git } from "../git.ts";
import { LandingLine } from "./landing-line.ts";

/** The number of last commits of a target that are read. */
const HISTORY = 1_000;

export type ProjectLandings = {
  /** See `Reservations.list`. */
  readonly repository: string;
  read(reservations: readonly Reservation[]): Landings;
  /** The last landed commits whose gate is on record, newest first, at most `limit`. */
  landed(limit: number): Promise<LandedRow[]>;
  /** See `LandingLine.pruneGates`. */
  pruneGates(before: number, remove: boolean): number;
  /** A decision about a task that waits. `place`: 1 for the first. @throws EkidenError `not_found` */
  decide(landings: Landings, which: { team: string; task: number }, what: Decision, by: string): Waiting;
};
export type Decision =
  | { readonly kind: "move"; readonly place: number }
  | { readonly kind: "drop" }
  | { readonly kind: "land" };

/** @throws EkidenError `bad_input` outside of a repository */
export async function landingsOf(project: string, env: Env): Promise<ProjectLandings> {
  const git = new Git(env);
  const commonDir = await git.ask(project, "rev-parse", "--path-format=absolute", "--git-common-dir");
  if (commonDir === null)
    throw badInput(
      `${project} is not in a git repository, so nothing can land there. Landings need --worktrees.`,
    );
  const line = new LandingLine(commonDir);
  return {
    repository: line.repository,
    read: (reservations) => line.read(reservations),
    landed: async (limit) => {
      const green = new Map(line.gates().flatMap((gate) => (gate.green ? [[gate.commit, gate]] : [])));
      const history = await git.ask(
        project,
        "log",
        "--branches",
        "--remotes",
        `--max-count=${HISTORY}`,
        "--format=%H %T %s",
      );
      return (history ?? "")
        .split("\n")
        .flatMap((row) => {
          const [commit = "", tree = "", ...words] = row.split(" ");
          const gate = green.get(commit);
          if (!gate || gate.tree !== tree) return [];
          const { at, task, team, command, ms } = gate;
          return [{ at, task, team, commit, tree, subject: words.join(" "), command, gateMs: ms }];
        })
        .slice(0, limit);
    },
    pruneGates: (before, remove) => line.pruneGates(before, remove),
    decide: (landings, { team, task }, what, by) => {
      const entry = landings.waiting.find((one) => one.team === team && one.task === task);
      if (!entry) {
        const others = landings.waiting.filter((one) => one.team === team).map((one) => `#${one.task}`);
        throw notFound(
          `#${task} does not wait to land. ${others.length > 0 ? `Waiting: ${others.join(", ")}.` : "Nothing waits."} A task comes here when its owner completes it; ekiden retry ${task} puts a failed one back on the board.`,
        );
      }
      line.order(entry.branch, orderOf(landings, entry, what, by));
      return entry;
    },
  };
}

function orderOf(landings: Landings, entry: Waiting, what: Decision, by: string): Order {
  const now = Date.now();
  if (what.kind === "drop") return { kind: "drop", by };
  // An earlier decision to land something first stays before this one.
  if (what.kind === "land") return { kind: "land", at: now, by };
  const line = lineUp(landings, entry.target, now);
  return { kind: "move", rank: rankAt(line, what.place, entry, landings, now), by };
}
