/** The members of a team and their activities. The lead is a member with other tools and no idle timeout. */

import type { HostId, Instant, Name, TaskId } from "../ids.ts";
import { readEffort, withEffort } from "../settings/effort.ts";
import type { IdleReason, ShutdownReason } from "./lifecycle.ts";

export type MemberKind = "lead" | "teammate";

/** Fixed when a member joins. */
export type Profile = {
  readonly name: Name;
  readonly kind: MemberKind;
  /** Its speciality, which tasks may require. "" for none. */
  readonly role: string;
  /** Model spec such as "anthropic/claude-…", with an effort "…@high"; "" for the team's, "@high" for that with an effort. */
  readonly model: string;
  /** Becomes its first mail. "" for none. */
  readonly prompt: string;
  /** Each of its plans must be approved before it changes anything. */
  readonly needsPlan: boolean;
};

export type Activity =
  | { readonly phase: "work" }
  /** `note`: the last words of its model or program, where it cannot work. */
  | { readonly phase: "idle"; readonly reason: IdleReason; readonly note?: string }
  | { readonly phase: "shutdown"; readonly reason: ShutdownReason };

/** Whether a process may take the member over. `revive`: a resume, which takes back stopped ones, but none whose place others needed. */
export const goesOn = ({ activity }: Pick<Member, "activity">, revive: boolean): boolean =>
  activity.phase !== "shutdown" || (revive && activity.reason !== "replaced");

export type Spent = {
  readonly turns: number;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  /** US dollars, from the price table; 0 when the model has no price. */
  readonly usd: number;
};

export type Member = Profile &
  Spent & {
    readonly activity: Activity;
    readonly since: Instant;
    /** The process that runs it; null if none does (stopped, interrupted or crashed). */
    readonly host: HostId | null;
    /** The last heartbeat of its host. */
    readonly heartbeat: Instant | null;
    readonly task: TaskId | null;
    readonly unread: number;
    readonly joinedAt: Instant;
  };

/** The right of one host to act as one member. After another host took the member over, every write with the old seat is refused. */
export type Seat = { readonly name: Name; readonly host: HostId };

export const NOTHING_SPENT: Spent = { turns: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0, usd: 0 };

export const addSpent = (a: Spent, b: Spent): Spent => ({
  turns: a.turns + b.turns,
  inputTokens: a.inputTokens + b.inputTokens,
  cachedTokens: a.cachedTokens + b.cachedTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  usd: a.usd + b.usd,
});

/** Environment variable that tells commands which member runs them. */
export const MEMBER_VARIABLE = "EKIDEN_MEMBER";

/** The model that a role file or a spawn names; "" for the team's, which `"sonnet"` and other words of other programs mean. */
export const ownModel = (spec: string): string =>
  spec.includes("/") || spec === "runbook" || /^(scripted|agent|acp):/.test(spec) ? spec : "";

/** A model and an effort as one text, for `Profile.model`. @throws EkidenError `bad_input` for an unknown level */
export const modelWithEffort = (model: string, effort: string): string =>
  effort.trim() === "" ? model : withEffort(model, readEffort(effort));
