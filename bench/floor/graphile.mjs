/** The work of bench/members.ts with graphile-worker as it comes: jobs that do nothing, taken and completed one by one. */
import { createInterface } from "node:readline";
import { Logger, makeWorkerUtils, run } from "graphile-worker";
import pg from "pg";

const [url] = process.argv.slice(2);
const logger = new Logger(() => () => {});
const utils = await makeWorkerUtils({ connectionString: url, logger });
await utils.migrate();
const pool = new pg.Pool({ connectionString: url, max: 2 });
const now = () => Number(process.hrtime.bigint()) / 1e6;

const COMMANDS = {
  async seed(queue, count) {
    await utils.withPgClient((client) =>
      client.query("select graphile_worker.add_job($1, '{}'::json) from generate_series(1, $2::int)", [
        queue,
        count,
      ]),
    );
    return {};
  },
  /** Until no job is left, of all processes: the last look of each costs a little, as ours does. */
  async take(queue, concurrency) {
    let taken = 0;
    let last = now();
    const from = last;
    const runner = await run({
      connectionString: url,
      concurrency: Number(concurrency),
      maxPoolSize: 10,
      noHandleSignals: true,
      pollInterval: 2_000,
      logger,
      taskList: {
        [queue]: async () => {
          taken += 1;
          last = now();
        },
      },
    });
    const left = async () =>
      Number(
        (await pool.query("select count(*) from graphile_worker.jobs where task_identifier = $1", [queue]))
          .rows[0].count,
      );
    while ((await left()) > 0) await new Promise((done) => setTimeout(done, 20));
    await runner.stop();
    return { from, to: last, taken };
  },
};

for await (const line of createInterface(process.stdin)) {
  const [command, ...args] = line.split(" ");
  console.log(JSON.stringify(await COMMANDS[command](...args)));
}
await pool.end();
await utils.release();
