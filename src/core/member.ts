/** Who is in a team, and what each is doing. The lead is a member with other tools and no idle timeout. */
import type { HostId, Instant, Name, TaskId } from "./ids.ts";
import type { IdleReason, ShutdownReason } from "./lifecycle.ts";

export type MemberKind = "lead" | "teammate";

/** What is decided about a member when it joins, kept for as long as the team is. */
export type Profile = {
  readonly name: Name;
  readonly kind: MemberKind;
  /** What it is good at; tasks may require it. "" for none. */
  readonly role: string;
  /** Model spec such as "anthropic/claude-…"; "" for the team's. */
  readonly model: string;
  /** Its first instruction, if any: becomes its first mail. */
  readonly prompt: string;
  /** Must have every plan approved before it changes anything. */
  readonly needsPlan: boolean;
};

export type Activity =
  | { readonly phase: "work" }
  | { readonly phase: "idle"; readonly reason: IdleReason }
  | { readonly phase: "shutdown"; readonly reason: ShutdownReason };

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
    /** The process that runs it, or null: nobody does (stopped, interrupted or crashed). */
    readonly host: HostId | null;
    /** When its host was last heard of. */
    readonly heartbeat: Instant | null;
    readonly task: TaskId | null;
    readonly unread: number;
    readonly joinedAt: Instant;
  };

/** The right of one host to act as one member. A seat that was taken over by another host is refused everywhere. */
export type Seat = { readonly name: Name; readonly host: HostId };

export const NOTHING_SPENT: Spent = { turns: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0, usd: 0 };

/** Tells a member's commands whose they are. */
export const MEMBER_VARIABLE = "EKIDEN_MEMBER";
