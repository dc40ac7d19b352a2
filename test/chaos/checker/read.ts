/** Reads a history: the tables by SQL of its own, the files that commands and gates appended to, and git. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import pg from "pg";
import { databaseClass } from "../../../src/adapters/store/databases/sqlite-file.ts";
import type { Commit, Effect, Gate, Landings, Tables } from "./history.ts";

type Row = Record<string, unknown>;
type Ask = (text: string) => Promise<Row[]>;

const QUERIES: Readonly<Record<keyof Tables, string>> = {
  tasks:
    "select id, status, subject, blocked_by, open_blockers, owner, attempt, tries, created_by from tasks where team = $ order by id",
  edges: "select task, blocker from edges where team = $ order by task, blocker",
  members: "select name, kind, phase, host, life from members where team = $ order by name",
  mail: "select id, sender, recipient, kind, urgent, turn, body, state, delivered_at from mail where team = $ order by id",
  transcript: "select seq, name, life, kind, entry from transcript where team = $ order by seq",
  events: "select seq, at, type, data from events where team = $ order by seq",
};

/** `url` as the program takes it. All tables are read in one snapshot. */
export async function readTables(url: string, team: string): Promise<Tables> {
  if (!/^[a-z][a-z0-9-]*$/.test(team)) throw new Error(`${team} is not a name of a team`);
  const tables: Partial<Record<keyof Tables, Row[]>> = {};
  await inSnapshot(url, async (ask) => {
    for (const [table, query] of Object.entries(QUERIES))
      tables[table as keyof Tables] = await ask(query.replace("$", `'${team}'`));
  });
  return tables as unknown as Tables;
}

export async function inSnapshot<T>(url: string, work: (ask: Ask) => Promise<T>): Promise<T> {
  return url.startsWith("postgres") ? inPostgres(url, work) : inSqlite(url.replace(/^sqlite:/, ""), work);
}

async function inSqlite<T>(path: string, work: (ask: Ask) => Promise<T>): Promise<T> {
  if (!existsSync(path)) throw new Error(`there is no ${path}`);
  // The same library as the store's: two copies of SQLite in one process release each other's locks on a file.
  const DatabaseSync = await databaseClass();
  const db = new DatabaseSync(path, { timeout: 5_000 });
  try {
    db.exec("begin");
    return await work((text) =>
      Promise.resolve(
        db
          .prepare(text)
          .all()
          .map((row) => ({ ...row })),
      ),
    );
  } finally {
    db.close();
  }
}

async function inPostgres<T>(url: string, work: (ask: Ask) => Promise<T>): Promise<T> {
  const address = new URL(url);
  const schema = address.searchParams.get("schema") ?? "ekiden";
  address.search = "";
  const client = new pg.Client({ connectionString: address.href });
  client.on("error", () => {}); // a query in progress rejects with it
  await client.connect();
  try {
    await client.query(`set search_path to "${schema}"`);
    await client.query("begin isolation level repeatable read");
    return await work(async (text) => (await client.query(text)).rows.map(numbers));
  } finally {
    await client.end().catch(() => {});
  }
}

/** PostgreSQL hands over its 64-bit numbers as texts. */
const TEXTS = new Set(["subject", "body", "entry", "data", "name", "blocked_by"]);
const numbers = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([key, value]) => [
      key,
      typeof value === "string" && !TEXTS.has(key) && /^-?\d+$/.test(value) ? Number(value) : value,
    ]),
  );

const linesOf = (file: string): string[][] =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter(Boolean)
        .map((line) => line.split(" "))
    : [];

/** Lines `begin 3 1 alice 4711-123 1700000000000`; the attempt is "-" where the command was not told. */
export const readEffects = (file: string): Effect[] =>
  linesOf(file).map(([what, task, attempt, who = "", run = "", at]) => ({
    what: what as Effect["what"],
    task: Number(task),
    attempt: attempt === "-" ? null : Number(attempt),
    who,
    run,
    at: Number(at),
  }));

/** `target`: the repository that tasks land in: `project` itself, or its remote. */
export function readLandings(
  project: string,
  target: string,
  base: string,
  gateLog: string,
  hasOdd: boolean,
): Landings {
  const gitIn = (cwd: string, args: string[]): string =>
    execFileSync("git", args, { cwd, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  const git = (...args: string[]): string => gitIn(target, args);
  const commits = git("log", "--reverse", "--topo-order", "--format=%H%x00%P%x00%T%x00%s", `${base}..main`)
    .split("\n")
    .filter(Boolean)
    .map((line): Commit => {
      const [hash = "", parents = "", tree = "", subject = ""] = line.split("\0");
      return { hash, parents: parents.split(" "), tree, subject };
    });
  const all = git("ls-tree", "-r", "-z", "--name-only", "main").split("\0");
  const paths = all.filter((path) => /^[\w./]+$/.test(path));
  return {
    commits,
    gates: linesOf(gateLog).map(([tree = "", verdict]): Gate => ({ tree, green: verdict === "green" })),
    strays: gitIn(project, ["status", "--porcelain", "--untracked-files=all"]).split("\n").filter(Boolean),
    files: Object.fromEntries(paths.map((path) => [path, git("show", `main:${path}`)])),
    odd: hasOdd ? all.flatMap((path) => Number(/^out\/(\d+)-/.exec(path)?.[1] ?? [])).filter(Boolean) : null,
  };
}
