/** The base of a run and a worker: the team of this process over its parts, what its members share, and the end. */
import { hostname } from "node:os";
import { MemoryFolder } from "../adapters/disk/memory.ts";
import { livesAs, OWN_IDENTITY } from "../adapters/process-identity.ts";
import type { IsAlive } from "../core/board/host.ts";
import type { Recruit } from "../core/board/recruit.ts";
import type { HostId } from "../core/ids.ts";
import { lazy } from "../core/lazy.ts";
import type { Mode } from "../core/permission/mode.ts";
import { Team } from "../runtime/team/team.ts";
import type { TeamParts } from "../runtime/team/team-parts.ts";
import { Stagger } from "../runtime/turn/stagger.ts";
import { type Crew, composeAgent } from "./compose.ts";
import { HeldBoard } from "./held-board.ts";
import { MemberModels } from "./models/member-models.ts";
import type { Spending } from "./money/spending.ts";
import type { Obeying } from "./obey.ts";
import type { Parts } from "./parts.ts";
import { permissionPolicy } from "./permission/permission-policy.ts";
import { type Asks, PermissionQuestions } from "./permission/permission-questions.ts";
import type { MakeFeature } from "./setup.ts";
import type { HostOptions } from "./team-host.ts";
import { WebHosts } from "./web-hosts.ts";

const REAP_MS = 500;

export const isAlive: IsAlive = ({ identity }) => livesAs(identity);

/** The members of this process, with what orders of the person change in them. */
export type Members = Obeying & { readonly team: Team; readonly hold: HeldBoard; mode(): Mode };
type Here = {
  readonly host: HostId;
  readonly spending: Spending;
  readonly asks?: Asks | undefined;
  readonly planFirst?: HostOptions["planFirst"];
  readonly onModel?: HostOptions["onModel"];
  /** A person talks to the team. Teammates that were asked for by name do not leave it then. */
  readonly isAttended?: boolean;
  readonly features?: readonly MakeFeature[];
  readonly crew: Pick<Crew, "providerTimeout" | "onDelta" | "onOutput" | "runbook" | "onDeleteTeam"> &
    Partial<Pick<Crew, "parts">>;
  readonly team: Required<Pick<TeamParts, "onEnd">> & Partial<TeamParts>;
};

export function teamHere(
  parts: Parts,
  { host, spending, asks = false, planFirst, onModel, isAttended = false, features, crew, team: own }: Here,
): Members {
  const { store, clock, agents, settings } = parts;
  let now = settings.permissionMode;
  const mode = (): Mode => now;
  const hold = new HeldBoard(store, clock, planFirst);
  const questions = new PermissionQuestions(parts, asks);
  const reported = new Set<string>();
  const models = new MemberModels(parts, reported, onModel, spending.pause);
  // Loaded with the first page.
  const reader = lazy(async () => (await import("../adapters/web/index.ts")).webReader(() => clock.now()));
  const fetchPage: Crew["web"]["fetchPage"] = async (...asked) => (await reader())(...asked);
  const members: Crew = {
    ...{ parts, questions, models, mode, reported },
    permissionPolicy: permissionPolicy(parts, questions, mode),
    memory: new MemoryFolder(parts.workspace, parts.secrets.redact),
    web: { hosts: new WebHosts(parts, questions, mode), fetchPage },
    stagger: new Stagger((ms, signal) => clock.sleep(ms, signal)),
    onCost: (who, used) => spending.book(who, used),
    noteOfLimit: (who) => spending.noteFor(who),
    hold,
    ...crew,
  };
  /** Those for whom the person asked. */
  const wanted = new Set(settings.teammates?.map(({ name }) => name));
  const team = new Team({
    ...{ store, clock, host, isAlive, shell: parts.shell, jobs: parts.jobs },
    process: { machine: hostname(), pid: process.pid, identity: OWN_IDENTITY },
    onOrphans: parts.endOrphans,
    settings: { ...settings, reapMs: REAP_MS },
    stays: (who) => isAttended && wanted.has(who),
    agent: (profile, seat, control, life) => {
      spending.joined(profile.name, seat);
      return composeAgent(members, profile, seat, control, life, features);
    },
    onPerson: () => spending.heardPerson(),
    onTurn: (who, outcome) => spending.book(who, outcome),
    ...own,
    onEnd: (name, end) => {
      void agents.end(name);
      own.onEnd(name, end);
    },
  });
  const useMode = (wanted: Mode): void => {
    now = wanted;
  };
  const addTeammate = async (mate: Recruit): Promise<void> => {
    wanted.add(mate.name);
    await (await import("./start-work.ts")).addTeammate({ parts, team }, mate);
  };
  return { store, agents, models, spending, team, useMode, mode, hold, addTeammate };
}

/** All but the store. */
export async function closeParts({ agents, telemetry, mcp, sandbox }: Parts): Promise<void> {
  await agents.close();
  await telemetry?.close();
  await mcp?.close();
  await sandbox.close();
}
