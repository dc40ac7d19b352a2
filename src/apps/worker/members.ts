/** The members of a worker: composed as those of any host, except that they claim nothing while it drains. */
import { hostname } from "node:os";
import { MemoryFolder } from "../../adapters/disk/memory.ts";
import { livesAs, OWN_IDENTITY } from "../../adapters/process-identity.ts";
import type { HostId, Name } from "../../core/ids.ts";
import { Team } from "../../runtime/team/team.ts";
import type { TeamParts } from "../../runtime/team/team-parts.ts";
import { composeAgent, FEATURES } from "../host/compose.ts";
import type { Parts } from "../host/parts.ts";
import { permissionPolicy } from "../host/permission-policy.ts";
import { PermissionQuestions } from "../host/permission-questions.ts";
import { noClaims, withoutClaims } from "./no-claims.ts";

type Hooks = Required<Pick<TeamParts, "host" | "onEnd" | "mayAdopt">> & {
  readonly host: HostId;
  readonly isDraining: () => boolean;
  readonly onCost: (who: Name, tokens: number, usd: number) => void;
};

const REAP_MS = 500;

export function teamOf(parts: Parts, { host, isDraining, onCost, onEnd, mayAdopt }: Hooks): Team {
  const { settings, store, clock, shell } = parts;
  const questions = new PermissionQuestions(parts, undefined);
  const crew = {
    parts: { ...parts, store: withoutClaims(store, isDraining) },
    permissionPolicy: permissionPolicy(parts, questions),
    questions,
    memory: new MemoryFolder(parts.workspace),
    onCost,
    providerTimeout: undefined, // a worker waits for its provider as long as it takes
    onDelta: undefined,
    onDeleteTeam: () => {}, // only a lead deletes its team
    reported: new Set<string>(),
  };
  const features = [noClaims(isDraining), ...FEATURES];
  return new Team({
    store,
    clock,
    shell,
    jobs: parts.jobs,
    host,
    process: { machine: hostname(), pid: process.pid, identity: OWN_IDENTITY },
    isAlive: ({ identity }) => livesAs(identity),
    onOrphans: parts.endOrphans,
    // An idle member costs nothing, and the worker is there for the next task.
    settings: { ...settings, reapMs: REAP_MS, idleTimeoutMs: Number.POSITIVE_INFINITY },
    agent: (profile, seat, control, life) => composeAgent(crew, profile, seat, control, life, features),
    onTurn: (who, { tokens, usd }) => onCost(who, tokens, usd),
    onEnd,
    mayAdopt,
  });
}
