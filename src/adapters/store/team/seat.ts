/** The fence of members: only the process that hosts a member now may write as that member. */

import type { MemberKind, Seat } from "../../../core/board/member.ts";
import { EkidenError } from "../../../core/errors.ts";
import { type Op, sql, type Tx } from "../sql.ts";

export type SeatRow = {
  readonly kind: MemberKind;
  readonly role: string;
  readonly host: string | null;
  readonly life: number;
  /** Of tasks without a block that can be run, it claims those of this runbook only; null: all. */
  readonly blocks_of: string | null;
};

/** Locks the member: its operations run one after the other, and nobody takes it over in between. @throws `stale_seat` */
export function* seated(tx: Tx, seat: Seat): Op<SeatRow> {
  const rows = yield* sql<SeatRow>`
    select kind, role, host, life, blocks_of from members where team = ${tx.team} and name = ${seat.name} ${tx.dialect.forUpdate}`;
  return checked(seat, rows);
}

/** @throws `stale_seat` */
export function checked<R extends Pick<SeatRow, "host">>(seat: Seat, [member]: readonly R[]): R {
  if (member?.host !== seat.host) throw staleSeat(seat, member);
  return member;
}

export function staleSeat(seat: Seat, member: { readonly host: string | null } | undefined): EkidenError {
  const now = !member
    ? "is no member of this team"
    : member.host === null
      ? "is not hosted by anybody"
      : "is hosted by another process";
  return new EkidenError(
    "stale_seat",
    `${seat.name} ${now} now, so this process can no longer act for it. Nothing was changed.`,
  );
}
