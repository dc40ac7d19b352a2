/** The place of the store of a round in a PostgreSQL that is ours: a schema, and a way to it. */
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { type Server, startPostgres } from "../../postgres.ts";
import { never, type Place, type WayName } from "./place.ts";
import { networkWay, poolerWay, tlsWay, type Way, type WayOptions } from "./ways.ts";
import type { Dice } from "./work.ts";

const WAYS: Readonly<Record<WayName, (options: WayOptions) => Promise<Way>>> = {
  tls: tlsWay,
  pooler: poolerWay,
  network: networkWay,
};

/** One server for all rounds. */
export class Postgres {
  private readonly server: Server;

  private constructor(server: Server) {
    this.server = server;
  }

  static async start(): Promise<Postgres> {
    return new Postgres(await startPostgres());
  }

  /** `by`: how programs reach it, null for straight. */
  async place(schema: string, by: WayName | null, dice: Dice): Promise<Place> {
    const ask = (...queries: string[]): Promise<boolean> => this.ask(...queries);
    const way = by && (await WAYS[by]({ server: this.server, ask, schema }));
    const direct = `${this.server.url}?schema=${schema}`;
    return {
      url: way?.url ?? direct,
      direct,
      harmWay: async (name) => name === by && way !== null && (await way.harm(dice)),
      cutConnections: () =>
        this.ask(
          "select pg_terminate_backend(pid) from pg_stat_activity where datname is not null and pid <> pg_backend_pid()",
        ),
      down: async (how, ms) => {
        await this.server.down(how);
        await delay(ms);
        await this.server.up();
        return true;
      },
      readOnly: async (ms) => {
        await this.ask("alter system set default_transaction_read_only = on", "select pg_reload_conf()");
        await delay(ms);
        return this.ask("alter system reset default_transaction_read_only", "select pg_reload_conf()");
      },
      lock: (ms) =>
        this.ask(
          "begin",
          `lock table "${schema}".tasks, "${schema}".members, "${schema}".hosts in access exclusive mode`,
          `select pg_sleep(${ms / 1_000})`,
          "rollback",
        ),
      fill: never,
      end: async () => {
        await way?.end();
        await this.ask(`drop schema if exists "${schema}" cascade`);
      },
    };
  }

  stop(): Promise<void> {
    return this.server.stop();
  }

  /** A statement of ours can be the one that PostgreSQL ends to break a deadlock with the program: it is then sent again. */
  private async ask(...queries: string[]): Promise<boolean> {
    for (;;) {
      try {
        return await this.once(queries);
      } catch (error) {
        if (!isDeadlock(error)) throw error;
      }
    }
  }

  private async once(queries: readonly string[]): Promise<boolean> {
    const client = new pg.Client({ connectionString: this.server.url });
    client.on("error", () => {});
    await client.connect();
    try {
      for (const query of queries) await client.query(query);
      return true;
    } finally {
      await client.end().catch(() => {});
    }
  }
}

const isDeadlock = (error: unknown): boolean => error instanceof pg.DatabaseError && error.code === "40P01";
