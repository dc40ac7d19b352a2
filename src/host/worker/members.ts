/** The members of a worker: composed as those of any host, except that they claim nothing while it drains. */
import type { HostId } from "../../core/ids.ts";
import type { TeamParts } from "../../runtime/team/team-parts.ts";
import { FEATURES } from "../compose.ts";
import { type Members, teamHere } from "../hosting.ts";
import type { Parts } from "../parts.ts";
import type { Spending } from "../spending.ts";
import { noClaims, withoutClaims } from "./no-claims.ts";

type Wanted = Required<Pick<TeamParts, "onEnd" | "mayAdopt">> & {
  readonly host: HostId;
  readonly isDraining: () => boolean;
  readonly spending: Spending;
};

/** A member that only runs blocks leaves tasks without one to others: it could only fail them, and no runbook is run here. */
const NO_RUNBOOK = "";

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
        runbook: () => NO_RUNBOOK,
        onDeleteTeam: () => {}, // only a lead deletes its team
      },
    },
  );
