/** The parts of a team in this process. */
import type { IsAlive } from "../../core/board/host.ts";
import type { Member, Profile, Seat } from "../../core/board/member.ts";
import type { HostId, Name } from "../../core/ids.ts";
import type { Clock, HostProcess, JobControl, Shell, Store, TeamControl } from "../../ports/index.ts";
import type { Agent, Booked, TurnOutcome } from "../agent/agent.ts";
import type { End, MemberLoop, MemberLoopSettings } from "../member/member-loop.ts";

export type TeamSettings = MemberLoopSettings & {
  readonly leaseMs: number;
  readonly shutdownDeadlineMs: number;
  /** The time between two looks for dead hosts on this machine. */
  readonly reapMs: number;
};

export type TeamParts = {
  readonly store: Store;
  readonly clock: Clock;
  readonly shell: Shell;
  /** Background commands of the members. */
  readonly jobs?: JobControl;
  readonly host: HostId;
  readonly process: HostProcess;
  readonly isAlive: IsAlive;
  readonly settings: TeamSettings;
  /** Whether a teammate waits for work without a limit. */
  readonly stays?: (name: Name) => boolean;
  /**
   * Ends the commands of hosts that died, and of these, which lost their lease. Resolves when none runs, so that their tasks may
   * start again.
   */
  readonly onOrphans?: (lost: readonly HostProcess[]) => Promise<void>;
  /** Composes an agent and reads its conversation back. */
  readonly agent: (
    profile: Profile,
    seat: Seat,
    team: TeamControl,
    life: () => MemberLoop | undefined,
  ) => Promise<Agent>;
  /** The member continues when the promise is settled. It must not reject. */
  readonly onTurn?: (name: Name, outcome: TurnOutcome) => Booked;
  /** A member read a word of the person. */
  readonly onPerson?: () => void;
  /** The lead found nothing to do and the board is quiet: a headless run ends here. */
  readonly onQuiet?: () => void;
  readonly onEnd?: (name: Name, end: End) => void;
  /** The members that this process takes over. Without it: all. */
  readonly mayAdopt?: (member: Member) => boolean;
};

/** The lead looks for itself and never leaves; a teammate is told of work. */
export function settingsOf({ settings, stays }: TeamParts, { kind, name }: Profile): TeamSettings {
  const never = Number.POSITIVE_INFINITY;
  if (kind === "lead") return { ...settings, idleTimeoutMs: never };
  return { ...settings, idlePollMs: never, ...(stays?.(name) && { idleTimeoutMs: never }) };
}
