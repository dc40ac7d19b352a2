/** The members of a worker: composed as those of any host, except that they claim nothing while it drains. */
import type { Name } from "../../core/ids.ts";
import type { Mode } from "../../core/permission/mode.ts";
import { Team } from "../../runtime/team/team.ts";
import type { TeamParts } from "../../runtime/team/team-parts.ts";
import { composeAgent, FEATURES } from "../compose.ts";
import { shared, teamParts } from "../hosting.ts";
import { MemberModels } from "../member-models.ts";
import type { Obeying } from "../orders.ts";
import type { Parts } from "../parts.ts";
import type { Spending } from "../spending.ts";
import type { Used } from "../spent.ts";
import { noClaims, withoutClaims } from "./no-claims.ts";

type Hooks = Required<Pick<TeamParts, "host" | "onEnd" | "mayAdopt">> & {
  readonly isDraining: () => boolean;
  readonly spending: Spending;
};

/** A member that only runs blocks leaves tasks without one to others: it could only fail them, and no runbook is run here. */
const NO_RUNBOOK = "";

/** With what orders of the person change in it. */
export function teamOf(
  parts: Parts,
  { host, isDraining, spending, onEnd, mayAdopt }: Hooks,
): { readonly team: Team; readonly obeying: Obeying } {
  let mode = parts.settings.permissionMode;
  const common = teamParts(parts, host);
  const base = shared(parts, false, () => mode);
  const models = new MemberModels(parts, base.reported, undefined, spending.pause);
  const crew = {
    ...base,
    models,
    parts: { ...parts, store: withoutClaims(parts.store, isDraining) },
    onCost: (who: Name, used: Used) => spending.book(who, used),
    noteOfLimit: (who: Name) => spending.noteFor(who),
    providerTimeout: undefined, // a worker waits for its provider as long as it takes
    onDelta: undefined,
    mode: () => mode,
    runbook: () => NO_RUNBOOK,
    onDeleteTeam: () => {}, // only a lead deletes its team
  };
  const features = [noClaims(isDraining), ...FEATURES];
  const team = new Team({
    ...common,
    // An idle member costs nothing, and the worker is there for the next task.
    settings: { ...common.settings, idleTimeoutMs: Number.POSITIVE_INFINITY },
    agent: (profile, seat, control, life) => {
      spending.joined(profile.name, seat);
      return composeAgent(crew, profile, seat, control, life, features);
    },
    onTurn: (who, outcome) => spending.book(who, outcome),
    onPerson: () => spending.heardPerson(),
    onEnd: (name, end) => {
      void parts.agents.end(name);
      onEnd(name, end);
    },
    mayAdopt,
  });
  const useMode = (wanted: Mode): void => {
    mode = wanted;
  };
  return { team, obeying: { store: parts.store, agents: parts.agents, models, spending, team, useMode } };
}
