/** The names of column types in both databases. */

import type { Dialect } from "../sql.ts";

export type Names = {
  readonly int: string;
  readonly real: string;
  readonly serial: string;
  readonly strict: string;
  readonly xid: string;
};
export const NAMES: Record<Dialect["name"], Names> = {
  sqlite: {
    int: "integer",
    real: "real",
    serial: "integer primary key",
    strict: " strict",
    xid: "",
  },
  postgres: {
    int: "bigint",
    real: "double precision",
    serial: "bigint generated always as identity primary key",
    strict: "",
    // The transaction of the writer: journal.ts needs it, because numbers are given out before commits.
    xid: "xid bigint not null default (pg_current_xact_id()::text::bigint),",
  },
};
