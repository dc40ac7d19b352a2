/** The windows of logins: the last word about each. */
import type { Instant, Name } from "../../../core/ids.ts";
import type { LoginWindow, WindowKind } from "../../../core/limits/window.ts";
import type { Logins } from "../../../ports/logins.ts";
import { appendFacts } from "../journal.ts";
import type { Session } from "../session.ts";
import { exec, sql } from "../sql.ts";

type LoginRow = {
  readonly team: Name;
  readonly program: string;
  readonly login: string;
  readonly machine: string;
  readonly kind: WindowKind;
  readonly used: number | null;
  readonly resets_at: number | null;
  readonly source: string;
};

export function logins(session: Session): Logins {
  return {
    note: (window) =>
      session.write(function* (tx) {
        const { program, login, machine, kind, usedPercent = null, resetsAt = null, source } = window;
        yield* exec`
          insert into logins (team, program, login, machine, kind, used, resets_at, source, at)
          values (${tx.team}, ${program}, ${login}, ${machine}, ${kind}, ${usedPercent}, ${resetsAt}, ${source}, ${tx.now})
          on conflict (team, program, login, machine, kind) do update set used = excluded.used, resets_at = excluded.resets_at,
            source = excluded.source, at = excluded.at`;
        yield* appendFacts(tx, [{ type: "login.window", ...window }]);
      }),
    list: () =>
      session.look(function* (tx) {
        const rows = yield* sql<LoginRow>`
          select * from logins where team = ${tx.team} order by program, login, machine, kind`;
        return rows.map(windowOf);
      }),
  };
}

const windowOf = ({ program, login, machine, kind, used, resets_at, source }: LoginRow): LoginWindow => ({
  ...{ program, login, machine, kind, source },
  ...(used !== null && { usedPercent: Number(used) }),
  ...(resets_at !== null && { resetsAt: Number(resets_at) as Instant }),
});
