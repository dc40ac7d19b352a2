/** A member as people see it. Pure. */

import type { Member, MemberKind, Spent } from "../board/member.ts";
import type { Instant, Name } from "../ids.ts";
import type { Retry } from "../views/retry.ts";

/** A member as the tables say it. */
export type MemberRow = Spent & {
  readonly name: Name;
  readonly kind: MemberKind;
  readonly role: string;
  readonly model: string;
  readonly phase: "work" | "idle" | "shutdown";
  readonly reason: string;
  readonly since: number;
  /** A living process runs it, as far as is known. */
  readonly hosted: boolean;
  /** The id of its process, where that is there and stands still. */
  readonly frozen?: number | undefined;
  /** Where, if not on this machine. */
  readonly machine: string;
  readonly task: number | null;
  readonly unread: number;
  readonly joinedAt: number;
};
/** Of which only facts say the rest. */
export type PictureMember = { -readonly [K in keyof MemberRow]: MemberRow[K] } & {
  /** The last thing it did in this phase: "bash npm test". */
  step: string;
  /** The last call that ended. */
  lastCall: string;
  /** It asks the model again at this time, unless it is interrupted. */
  retry: Retry | null;
  /** Tokens that its conversation holds; null before its first turn. */
  context: number | null;
};

export const memberOf = (row: MemberRow): PictureMember => ({
  ...row,
  ...{ step: "", lastCall: "", retry: null, context: null },
});

export function rowOf(member: Member): MemberRow {
  const { name, kind, role, model, activity, since, task, unread, turns, joinedAt, host } = member;
  const { inputTokens, cachedTokens, outputTokens, usd } = member;
  return {
    ...{ name, kind, role, model, phase: activity.phase, since, task, unread, turns, joinedAt },
    ...{ inputTokens, cachedTokens, outputTokens, usd, hosted: host !== null, machine: "" },
    reason: "reason" in activity ? activity.reason : "",
  };
}

export const joined = (
  who: Name,
  kind: MemberKind,
  role: string,
  model: string,
  at: Instant | number,
): MemberRow => ({
  ...{ name: who, kind, role, model, phase: "work", reason: "", since: at, joinedAt: at },
  ...{ hosted: true, machine: "", task: null, unread: 0 },
  ...{ turns: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0, usd: 0 },
});
