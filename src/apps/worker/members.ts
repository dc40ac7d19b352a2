/** The members of a worker: composed as those of any host, except that they claim nothing while it drains. */
import type { Name } from "../../core/ids.ts";
import { Team } from "../../runtime/team/team.ts";
import type { TeamParts } from "../../runtime/team/team-parts.ts";
import { composeAgent, FEATURES } from "../host/compose.ts";
import { shared, teamParts } from "../host/hosting.ts";
import type { Parts } from "../host/parts.ts";
import { noClaims, withoutClaims } from "./no-claims.ts";

type Hooks = Required<Pick<TeamParts, "host" | "onEnd" | "mayAdopt">> & {
  readonly isDraining: () => boolean;
  readonly onCost: (who: Name, tokens: number, usd: number) => void;
};

export function teamOf(parts: Parts, { host, isDraining, onCost, onEnd, mayAdopt }: Hooks): Team {
  const common = teamParts(parts, host);
  const crew = {
    ...shared(parts),
    parts: { ...parts, store: withoutClaims(parts.store, isDraining) },
    onCost,
    providerTimeout: undefined, // a worker waits for its provider as long as it takes
    onDelta: undefined,
    onDeleteTeam: () => {}, // only a lead deletes its team
  };
  const features = [noClaims(isDraining), ...FEATURES];
  return new Team({
    ...common,
    // An idle member costs nothing, and the worker is there for the next task.
    settings: { ...common.settings, idleTimeoutMs: Number.POSITIVE_INFINITY },
    agent: (profile, seat, control, life) => composeAgent(crew, profile, seat, control, life, features),
    onTurn: (who, { tokens, usd }) => onCost(who, tokens, usd),
    onEnd,
    mayAdopt,
  });
}
