/** The landing queue of a project for those who only look or decide: nothing here lands. */

import { type LandingQueue, lineUp, type Order, rankAt, type Waiting } from "../../../core/board/landing.ts";
import { badInput, notFound } from "../../../core/errors.ts";
import type { LandedRow } from "../../../core/views/landing.ts";
import type { Landings } from "../../../ports/landings.ts";
import { repositoryName } from "./landing-line.ts";

/** The number of last commits of a target that are read. */
const HISTORY = 1_000;

export type ProjectLandings = {
  queue(store: Landings): Promise<LandingQueue>;
  /** The last landed commits whose gate is on record, newest first, at most `limit`. */
  landed(store: Landings, limit: number): Promise<LandedRow[]>;
  /** A decision about a task of the store's team that waits. `place`: 1 for the first. @throws EkidenError `not_found` */
  decide(
    store: Landings,
    which: { readonly team: string; readonly task: number },
    what: Decision,
    by: string,
  ): Promise<Waiting>;
};
export type Decision =
  | { readonly kind: "move"; readonly place: number }
  | { readonly kind: "drop" }
  | { readonly kind: "land" };

/** The one line or text that git in the project answers; null where it fails. */
export type AsksGit = (...args: string[]) => Promise<string | null>;

/** @throws EkidenError `bad_input` outside of a repository */
export async function landingsOf(project: string, ask: AsksGit): Promise<ProjectLandings> {
  const commonDir = await ask("rev-parse", "--path-format=absolute", "--git-common-dir");
  if (commonDir === null)
    throw badInput(
      `${project} is not in a git repository, so nothing can land there. Landings need --worktrees.`,
    );
  const repository = repositoryName(commonDir);
  return {
    queue: (store) => store.queue(repository),
    landed: async (store, limit) => {
      const history = await ask(
        "log",
        "--exclude=ekiden/*", // the branches of tasks
        "--branches",
        "--remotes",
        `--max-count=${HISTORY}`,
        "--format=%H %T %s",
      );
      const rows = (history ?? "").split("\n").map((row) => row.split(" "));
      const gates = await store.gates.green(rows.map(([commit = ""]) => commit));
      const green = new Map(gates.map((gate) => [gate.commit, gate]));
      return rows
        .flatMap(([commit = "", tree = "", ...words]) => {
          const gate = green.get(commit);
          if (!gate || gate.tree !== tree) return [];
          const { at, task, team, command, ms } = gate;
          return [{ at, task, team, commit, tree, subject: words.join(" "), command, gateMs: ms }];
        })
        .slice(0, limit);
    },
    decide: async (store, { team, task }, what, by) => {
      const landings = await store.queue(repository);
      const entry = landings.waiting.find((one) => one.team === team && one.task === task);
      if (!entry) {
        const others = landings.waiting.filter((one) => one.team === team).map((one) => `#${one.task}`);
        throw notFound(
          `#${task} does not wait to land. ${others.length > 0 ? `Waiting: ${others.join(", ")}.` : "Nothing waits."} A task is queued when its owner completes it; ekiden retry ${task} puts a failed one back on the board.`,
        );
      }
      await store.order(entry.branch, orderOf(landings, entry, what, by));
      return entry;
    },
  };
}

function orderOf(landings: LandingQueue, entry: Waiting, what: Decision, by: string): Order {
  const now = Date.now();
  if (what.kind === "drop") return { kind: "drop", by };
  // An earlier decision to land something first stays before this one.
  if (what.kind === "land") return { kind: "land", at: now, by };
  const line = lineUp(landings, entry.target, now);
  return { kind: "move", rank: rankAt(line, what.place, entry, landings, now), by };
}
