/**
 * The blocks of ports that worktrees have. A row lasts as long as the lease of the host whose member has the task in hand. The key of a
 * row is the machine and the block, for all teams of the store, so that no block has two owners.
 */

import type { HostId } from "../../../core/ids.ts";
import { BLOCKS } from "../../../core/project/ports.ts";
import type { PortBlocks } from "../../../ports/port-blocks.ts";
import type { Session } from "../session.ts";
import { exec, type Op, sql, type Tx } from "../sql.ts";

type BlockRow = { readonly block: number };

export function portBlocks(session: Session): PortBlocks {
  return {
    take: (task, machine, used) =>
      session.write(function* (tx) {
        yield* freeBlocks(tx);
        const [owner] = yield* sql<{ host: HostId }>`
          select h.id as host from tasks t join members m on m.team = t.team and m.name = t.owner
            join hosts h on h.team = m.team and h.id = m.host
          where t.team = ${tx.team} and t.id = ${task} and t.status = 'in_progress' and h.lease_until > ${tx.leaseClock}`;
        if (!owner) return null;
        const [own] = yield* sql<BlockRow>`
          update port_blocks set host = ${owner.host}
          where team = ${tx.team} and task = ${task} and machine = ${machine} returning block`;
        if (own && !used.includes(Number(own.block))) return Number(own.block);
        yield* remove(tx, task, machine);
        for (;;) {
          const rows = yield* sql<BlockRow>`select block from port_blocks where machine = ${machine}`;
          const taken = new Set([...used, ...rows.map(({ block }) => Number(block))]);
          const block = BLOCKS.find((one) => !taken.has(one));
          if (block === undefined) return null;
          // Another host may have taken it in this moment.
          const made = yield* sql`
            insert into port_blocks (machine, block, team, task, host) values (${machine}, ${block}, ${tx.team}, ${task}, ${owner.host})
            on conflict (machine, block) do nothing returning block`;
          if (made.length > 0) return block;
        }
      }),
    give: (task, machine) => session.write((tx) => remove(tx, task, machine)),
  };
}

function* remove(tx: Tx, task: number, machine: string): Op<void> {
  yield* exec`delete from port_blocks where team = ${tx.team} and task = ${task} and machine = ${machine}`;
}

/** Those of hosts without a lease, in all teams. */
export function* freeBlocks(tx: Tx): Op<void> {
  yield* exec`
    delete from port_blocks where not exists
      (select 1 from hosts h where h.team = port_blocks.team and h.id = port_blocks.host and h.lease_until > ${tx.leaseClock})`;
}
