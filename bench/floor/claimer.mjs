// The floor of the board: the same two transactions (claim, complete) on the same tables, as plain SQL over the same drivers and
// pragmas, in the fewest and fastest statements we know for each database. It changes the same rows as the store does: the task,
// the tasks that wait for it, one entry of the transcript for each of the two, and every fact. No members, seats, roles, wake-ups
// or checks. Reads commands, one a line; bench/claimer.ts answers the same ones, and makes the tables and boards for both.
import { createInterface } from "node:readline";

const [url] = process.argv.slice(2);
const postgres = url.startsWith("postgres");
const READY = `select id from tasks where team = $1 and role = '' and status = 'pending' and open_blockers = 0
  order by priority desc, chain desc, id limit 1`;
const TASK =
  "id, subject, description, blocked_by, priority, estimate, needs_plan, attempt, last_failure, created_by, created_at";
// SQLite has one writer, and takes longer for "returning" than for a query before the update; PostgreSQL must do both at once.
const FIRST = `select ${TASK} from tasks where team = $1 and id = (${READY.replace("$1", "$2")})`;
const START = `update tasks set status = 'in_progress', owner = $1, attempt = attempt + 1, tries = tries + 1, version = version + 1,
  started_at = $2, updated_at = $3 where team = $4 and id = $5`;
const WAITING = `select t.id, t.open_blockers - 1 as open_blockers from edges e join tasks t on t.team = e.team and t.id = e.task
  where e.team = $1 and e.blocker = $2`;
const ONE_LESS =
  "update tasks set open_blockers = open_blockers - 1, updated_at = $1 where team = $2 and id = $3";
const CLAIM = `update tasks set status = 'in_progress', owner = $2, attempt = attempt + 1, tries = tries + 1, version = version + 1,
  started_at = $3, updated_at = $4 where team = $5 and id = (${READY} for update skip locked) returning ${TASK}`;
const COMPLETE = `update tasks set status = 'completed', result = 'done', ended_at = $1, updated_at = $2, version = version + 1
  where team = $3 and id = $4 and owner = $5 and attempt = $6 and status = 'in_progress'`;
const UNBLOCK = `update tasks set open_blockers = open_blockers - 1, updated_at = $1 where team = $2 and id in
  (select task from edges where team = $3 and blocker = $4) returning id, open_blockers`;
const ENTRY =
  "insert into transcript (team, name, life, at, kind, entry) values ($1, $2, 1, $3, 'heard', $4)";
const EVENT = "insert into events (team, at, type, data) values ($1, $2, $3, $4)";

/** `write(work)`: one transaction; `work` is a generator that yields a text and its values and is handed the rows. */
async function sqlite() {
  const own = process.getBuiltinModule?.("node:sqlite");
  const { DatabaseSync } = own ?? (await import("@photostructure/sqlite"));
  const db = new DatabaseSync(url.replace(/^sqlite:/, ""), { timeout: 2 });
  const statements = new Map();
  const run = (text, values = []) => {
    const statement = statements.get(text) ?? db.prepare(text.replace(/\$(\d+)/g, "?$1"));
    statements.set(text, statement);
    return statement.all(...values);
  };
  const attempt = (work) => {
    run("begin immediate");
    try {
      const steps = work();
      let step = steps.next();
      while (!step.done) step = steps.next(run(...step.value));
      run("commit");
      return step.value;
    } catch (error) {
      if (db.isTransaction) run("rollback");
      throw error;
    }
  };
  const patiently = async (step) => {
    for (;;) {
      try {
        return step();
      } catch (error) {
        if (!/locked/.test(error.message)) throw error;
        await new Promise((done) => setTimeout(done, Math.random() * 8));
      }
    }
  };
  const pragmas =
    "synchronous = normal; pragma foreign_keys = on; pragma temp_store = memory; pragma cache_size = -16000; pragma wal_autocheckpoint = 4000; pragma journal_size_limit = 33554432";
  await patiently(() => db.exec(`pragma ${pragmas}`));
  return {
    write: (work) => patiently(() => attempt(work)),
    look: async (...query) => run(...query),
    close: async () => db.close(),
  };
}

async function server() {
  const { default: pg } = await import("pg");
  const address = new URL(url);
  const schema = address.searchParams.get("schema");
  address.searchParams.delete("schema");
  const int8 = {
    getTypeParser: (oid, format) => (oid === 20 ? Number : pg.types.getTypeParser(oid, format)),
  };
  const client = new pg.Client({
    connectionString: address.href,
    options: `-c search_path=${schema}`,
    types: int8,
  });
  await client.connect();
  const names = new Map();
  const run = async (text, values) => {
    const name = names.get(text) ?? `floor ${names.size}`;
    names.set(text, name);
    return (await client.query({ name, text, values })).rows;
  };
  const write = async (work) => {
    await client.query("begin");
    const steps = work();
    let step = steps.next();
    while (!step.done) step = steps.next(await run(...step.value));
    await client.query("commit");
    return step.value;
  };
  return { write, look: run, close: () => client.end() };
}

const db = await (postgres ? server() : sqlite());
const me = `raw-${process.pid}`;

/** The first ready task, in progress from now on. */
function* claimFirst(team, now) {
  if (postgres) return (yield [CLAIM, [team, me, now, now, team]])[0];
  const [row] = yield [FIRST, [team, team]];
  if (!row) return undefined;
  yield [START, [me, now, now, team, row.id]];
  return { ...row, attempt: row.attempt + 1 };
}

/** The tasks that waited for this one, each with the number of its other open blockers. */
function* unblock(team, now, task) {
  if (postgres) return yield [UNBLOCK, [now, team, team, task]];
  const waiting = yield [WAITING, [team, task]];
  for (const { id } of waiting) yield [ONE_LESS, [now, team, id]];
  return waiting;
}

const COMMANDS = {
  open: async () => ({}),
  join: async () => ({}),
  async take(teams, ms) {
    const from = Number(process.hrtime.bigint()) / 1e6;
    const until = performance.now() + Number(ms);
    const taken = [];
    for (const team of teams.split(","))
      while (performance.now() < until) {
        const task = await db.write(function* () {
          const now = Date.now();
          const row = yield* claimFirst(team, now);
          if (!row) return null;
          yield [ENTRY, [team, me, now, JSON.stringify({ kind: "heard", text: row.subject })]];
          const { id, subject, attempt } = row;
          yield [EVENT, [team, now, "task.claimed", JSON.stringify({ task: id, subject, by: me, attempt })]];
          return row;
        });
        if (!task) break;
        await db.write(function* () {
          const now = Date.now();
          const { id, subject, attempt } = task;
          yield [COMPLETE, [now, now, team, id, me, attempt]];
          yield [ENTRY, [team, me, now, JSON.stringify({ kind: "heard", text: "done" })]];
          const fact = { task: id, subject, by: me, attempt, result: "done" };
          yield [EVENT, [team, now, "task.completed", JSON.stringify(fact)]];
          for (const one of yield* unblock(team, now, id))
            if (Number(one.open_blockers) === 0)
              yield [EVENT, [team, now, "task.unblocked", JSON.stringify({ task: one.id, by: id })]];
        });
        taken.push(`${team}/${task.id}`);
      }
    return { from, to: Number(process.hrtime.bigint()) / 1e6, taken };
  },
  async look(team, times) {
    const from = performance.now();
    for (let i = 0; i < times; i += 1)
      if ((await db.look(READY, [team])).length > 0) throw new Error("something is ready");
    return { us: ((performance.now() - from) * 1000) / times };
  },
};

for await (const line of createInterface(process.stdin)) {
  const [command, ...args] = line.split(" ");
  console.log(JSON.stringify(await COMMANDS[command](...args)));
}
await db.close();
