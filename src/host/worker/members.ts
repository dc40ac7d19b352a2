/** The members of a worker: composed as those of any host, except that they claim nothing while it drains. */
import type { HostId } from "../../core/ids.ts";
import type { Store } from "../../ports/index.ts";
import type { TeamParts } from "../../runtime/team/team-parts.ts";
import { FEATURES } from "../compose.ts";
import { type Members, teamHere } from "../hosting.ts";
import type { Spending } from "../money/spending.ts";
import type { Parts } from "../parts.ts";
import type { MakeFeature } from "../setup.ts";

/** The store as members see it: once the worker drains, there is nothing to claim. */
function withoutClaims(store: Store, isDraining: () => boolean): Store {
  const claimNext: Store["board"]["claimNext"] = async (...asked) =>
    isDraining() ? null : await store.board.claimNext(...asked);
  // Inherited and not spread: the signing store inherits its members, too.
  return Object.assign(Object.create(store), {
    board: Object.assign(Object.create(store.board), { claimNext }),
  }) as Store;
}

/** Refuses the tools that claim. */
const noClaims =
  (isDraining: () => boolean): MakeFeature =>
  () => ({
    wrap: (next) => async (call) => {
      if (isDraining() && call.tool.effect === "claims")
        throw new Error(
          "The process you run in is about to end, so it takes no new tasks. The task stays on the board for others. End your turn.",
        );
      return await next(call);
    },
  });

type Wanted = Required<Pick<TeamParts, "onEnd" | "mayAdopt">> & {
  readonly host: HostId;
  readonly isDraining: () => boolean;
  readonly spending: Spending;
};

export const teamOf = (parts: Parts, { host, isDraining, spending, onEnd, mayAdopt }: Wanted): Members =>
  teamHere(
    // An idle member costs nothing, and the worker is there for the next task.
    { ...parts, settings: { ...parts.settings, idleTimeoutMs: Number.POSITIVE_INFINITY } },
    {
      ...{ host, spending, team: { onEnd, mayAdopt } },
      features: [noClaims(isDraining), ...FEATURES],
      crew: {
        parts: { ...parts, store: withoutClaims(parts.store, isDraining) },
        providerTimeout: undefined, // a worker waits for its provider as long as it takes
        onDelta: undefined,
        // A member that only runs blocks leaves tasks without one to others: it could only fail them, and no runbook is run here.
        runbook: () => "",
        onDeleteTeam: () => {}, // only a lead deletes its team
      },
    },
  );
