// The floor of the board: the same two transactions (claim, complete) and the same rows, as plain SQL over the same drivers and
// pragmas. No fence, no roles, no wake-ups, no checks. Reads commands, one a line; see bench/claimer.ts.
import { createInterface } from "node:readline";

const [url] = process.argv.slice(2);
const postgres = url.startsWith("postgres");
const now = () => Date.now();
const kinds = postgres
  ? { serial: "bigint generated always as identity primary key", int: "bigint" }
  : { serial: "integer primary key autoincrement", int: "integer" };
const SCHEMA = `
  create table if not exists tasks (team text not null, id ${kinds.int} not null, status text not null, subject text not null,
    open_blockers ${kinds.int} not null, priority ${kinds.int} not null, owner text, attempt ${kinds.int} not null, result text,
    updated_at ${kinds.int} not null, primary key (team, id));
  create index if not exists tasks_ready on tasks (team, priority desc, id) where status = 'pending' and open_blockers = 0;
  create table if not exists edges (team text not null, task ${kinds.int} not null, blocker ${kinds.int} not null,
    primary key (team, blocker, task));
  create table if not exists transcript (seq ${kinds.serial}, team text not null, name text not null, entry text not null);
  create table if not exists events (seq ${kinds.serial}, team text not null, at ${kinds.int} not null, type text not null, data text not null)`;
const LOOK = "select id from tasks where team = $1 and status = 'pending' and open_blockers = 0 order by priority desc, id limit 1";
const CLAIM = `update tasks set status = 'in_progress', owner = $1, attempt = attempt + 1, updated_at = $2 where team = $3 and id =
  (select id from tasks where team = $4 and status = 'pending' and open_blockers = 0 order by priority desc, id limit 1
  ${postgres ? "for update skip locked" : ""}) returning *`;
const COMPLETE = `update tasks set status = 'completed', result = 'done', updated_at = $1
  where team = $2 and id = $3 and owner = $4 and attempt = $5 and status = 'in_progress'`;
const UNBLOCK = `update tasks set open_blockers = open_blockers - 1 where team = $1 and id in
  (select task from edges where team = $2 and blocker = $3) returning id, open_blockers`;
const ENTRY = "insert into transcript (team, name, entry) values ($1, $2, $3)";
const EVENT = "insert into events (team, at, type, data) values ($1, $2, $3, $4)";
const TASK = "insert into tasks (team, id, status, subject, open_blockers, priority, attempt, updated_at) values ($1, $2, 'pending', $3, $4, 0, 0, 0)";
const EDGE = "insert into edges (team, task, blocker) values ($1, $2, $3)";

/** `write(work)`: one transaction; `work` is a generator of [text, params] and is handed the rows. */
async function sqlite() {
  const own = process.getBuiltinModule?.("node:sqlite");
  const { DatabaseSync } = own ?? (await import("@photostructure/sqlite"));
  const db = new DatabaseSync(url.replace(/^sqlite:/, ""), { timeout: 2 });
  db.exec("pragma journal_mode = wal; pragma synchronous = normal; pragma temp_store = memory; pragma cache_size = -16000");
  const statements = new Map();
  const run = (text, params = []) => {
    let statement = statements.get(text);
    if (!statement) statements.set(text, (statement = db.prepare(text.replace(/\$\d+/g, "?"))));
    return statement.all(...params);
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
  const write = async (work) => {
    for (let tries = 1; ; tries += 1) {
      try {
        return attempt(work);
      } catch (error) {
        if (!/locked/.test(error.message)) throw error;
        await new Promise((done) => setTimeout(done, Math.random() * Math.min(2 * tries, 25)));
      }
    }
  };
  return { write, look: async (...query) => run(...query), schema: () => write(function* () { for (const text of SCHEMA.split(";")) yield [text]; }), close: async () => db.close() };
}

async function server() {
  const { default: connect } = await import("postgres");
  const sql = connect(url, { max: 1, onnotice: () => {} });
  const query = (on) => (text, params = []) => on.unsafe(text, params, { prepare: params.length > 0 });
  const write = (work) =>
    sql.begin(async (tx) => {
      const steps = work();
      let step = steps.next();
      while (!step.done) step = steps.next(await query(tx)(...step.value));
      return step.value;
    });
  return { write, look: query(sql), schema: () => sql.unsafe(SCHEMA), close: () => sql.end() };
}

const db = await (postgres ? server() : sqlite());
const me = `raw-${process.pid}`;

const COMMANDS = {
  schema: async () => (await db.schema(), {}),
  join: async () => ({}),
  /** The second half waits for the first, task by task; or all for a task that is never done. */
  async seed(team, count, blocked) {
    const half = Math.floor(count / 2);
    for (let from = 1; from <= count; from += 5000)
      await db.write(function* () {
        for (let id = from; id < Math.min(from + 5000, Number(count) + 1); id += 1) {
          yield [TASK, [team, id, `Task ${id}`, blocked || id > half ? 1 : 0]];
          if (!blocked && id > half) yield [EDGE, [team, id, id - half]];
        }
      });
    return {};
  },
  async take(teams, ms) {
    const from = Number(process.hrtime.bigint()) / 1e6;
    const until = performance.now() + Number(ms);
    const taken = [];
    for (const team of teams.split(","))
      while (performance.now() < until) {
        const task = await db.write(function* () {
          const [row] = yield [CLAIM, [me, now(), team, team]];
          if (!row) return null;
          yield [ENTRY, [team, me, JSON.stringify({ kind: "heard", text: row.subject })]];
          yield [EVENT, [team, now(), "task.claimed", JSON.stringify({ task: row.id, by: me, attempt: row.attempt })]];
          return row;
        });
        if (!task) break;
        await db.write(function* () {
          yield [COMPLETE, [now(), team, task.id, me, task.attempt]];
          yield [ENTRY, [team, me, JSON.stringify({ kind: "heard", text: "done" })]];
          yield [EVENT, [team, now(), "task.completed", JSON.stringify({ task: task.id, by: me })]];
          for (const { id, open_blockers } of yield [UNBLOCK, [team, team, task.id]])
            if (Number(open_blockers) === 0) yield [EVENT, [team, now(), "task.unblocked", JSON.stringify({ task: id, by: task.id })]];
        });
        taken.push(`${team}/${task.id}`);
      }
    return { from, to: Number(process.hrtime.bigint()) / 1e6, taken };
  },
  async look(team, times) {
    const from = performance.now();
    for (let i = 0; i < times; i += 1) if ((await db.look(LOOK, [team])).length > 0) throw new Error("something is ready");
    return { us: ((performance.now() - from) * 1000) / times };
  },
};

for await (const line of createInterface(process.stdin)) {
  const [command, ...args] = line.split(" ");
  console.log(JSON.stringify(await COMMANDS[command](...args)));
}
await db.close();
