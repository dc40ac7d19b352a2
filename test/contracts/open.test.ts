/** Opening stores: what is refused, without any change, and how damaged rows are shown. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { systemClock } from "../../src/adapters/clock.ts";
import { databaseClass } from "../../src/adapters/store/databases/sqlite-file.ts";
import { openStore } from "../../src/adapters/store/index.ts";
import type { Cursor, Store } from "../../src/ports/store.ts";
import { freePort } from "../fixtures/ports.ts";
import { soon } from "../fixtures/soon.ts";
import { connect, dropSchema, host, name, profile } from "../fixtures/stage.ts";
import { takeAway } from "../fixtures/take-away.ts";

const open = (url: string): Promise<Store> => openStore({ url, team: name("default"), clock: systemClock });
/** The same SQLite as the store's: two copies of the library in one process do not see each other's locks. */
const DatabaseSync = await databaseClass();
const [lead, person] = [name("lead"), name("person")];

describe("opening a file", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "ekiden-open-"));
  });
  afterEach(() => takeAway(folder));
  const at = (file: string): string => join(folder, file);

  it("has a new store on the disk soon, although no start waits for that", async () => {
    const path = at("team.db");
    const store = await open(`sqlite:${path}`);
    try {
      // The tables are in the log alone.
      expect(statSync(path).size).toBeLessThan(10_000);
      await soon(() => expect(statSync(path).size).toBeGreaterThan(50_000));
    } finally {
      await store.close();
    }
  });

  it("makes the folder, hides a new .ekiden from git, and finds everything again", async () => {
    const file = at("project/.ekiden/team.db");
    const store = await open(`sqlite:${file}`);
    await store.board.add({ subject: "kept" }, lead);
    await store.close();
    expect(readFileSync(join(dirname(file), ".gitignore"), "utf8")).toBe("*\n");
    const again = await open(file);
    expect(await again.board.tasks()).toMatchObject([{ subject: "kept" }]);
    expect(await again.teams()).toEqual(["default"]);
    await again.close();
    await again.close();
  });

  it("does not change an existing folder", async () => {
    mkdirSync(at(".ekiden"));
    await (await open(at(".ekiden/team.db"))).close();
    expect(existsSync(at(".ekiden/.gitignore"))).toBe(false);
  });

  it("refuses folders, other files, other programs' databases and newer schemas, untouched", async () => {
    mkdirSync(at("folder"));
    writeFileSync(at("text"), "these are not the bytes of a database");
    const other = new DatabaseSync(at("other.db"), {});
    other.exec("create table theirs (x); insert into theirs values (1)");
    other.close();
    await (await open(at("newer.db"))).close();
    const newer = new DatabaseSync(at("newer.db"), {});
    newer.exec("update meta set value = '99' where name = 'version'");
    newer.close();
    const before = readdirSync(folder);
    const bytes = (): string[] =>
      before
        .filter((file) => file !== "folder" && !file.endsWith("-shm"))
        .map((file) => readFileSync(at(file)).toString("base64"));
    const content = bytes();
    await expect(open(at("folder"))).rejects.toMatchObject({
      code: "store_foreign",
      message: expect.stringContaining("is a folder"),
    });
    await expect(open(at("text"))).rejects.toMatchObject({
      code: "store_foreign",
      message: expect.stringContaining("not a SQLite database"),
    });
    await expect(open(at("other.db"))).rejects.toMatchObject({
      code: "store_foreign",
      message: expect.stringContaining("another program"),
    });
    await expect(open(at("newer.db"))).rejects.toMatchObject({
      code: "store_newer",
      message: expect.stringContaining("99"),
    });
    await expect(open(join(at("text"), "team.db"))).rejects.toMatchObject({ code: "store_unavailable" });
    expect(readdirSync(folder)).toEqual(before);
    expect(bytes()).toEqual(content);
  });

  // Root may write anywhere, so a process of another user tries it.
  it.runIf(process.getuid?.() === 0)("says when it may not write", async () => {
    await (await open(at("team.db"))).close();
    chmodSync(folder, 0o755);
    chmodSync(at("team.db"), 0o444);
    // The other user may not be able to read the source, so it is loaded first.
    const script = `const { prepareFile } = await import(${JSON.stringify(new URL("../../src/adapters/store/databases/sqlite-file.ts", import.meta.url).href)});
      process.setgid(65534); process.setuid(65534);
      try { prepareFile(${JSON.stringify(at("team.db"))}); } catch (error) { console.log(error.code + " " + error.message); }`;
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ["--import", "tsx", "--input-type=module", "-e", script],
      { cwd: fileURLToPath(new URL("../..", import.meta.url)), encoding: "utf8" },
    );
    expect(`${stdout}${stderr}`).toContain("store_unavailable");
    expect(stdout).toContain("must be able to read and write");
  });

  it("waits for a lock that another connection holds, and continues", async () => {
    const store = await open(at("team.db"));
    const other = new DatabaseSync(at("team.db"), {});
    other.exec("begin immediate");
    const adding = store.board.add({ subject: "a" }, lead);
    await expect(store.board.tasks()).resolves.toEqual([]);
    other.exec("commit");
    other.close();
    await expect(adding).resolves.toMatchObject({ id: 1 });
    await store.close();
  });

  it.each(["replaced", "deleted"])(
    "refuses to continue when its file was %s, and wakes all waiters",
    async (what) => {
      const store = await open(at("team.db"));
      await store.board.add({ subject: "kept" }, lead);
      const woken = store.wake.changed(store.wake.mark(), ["board"], Number.POSITIVE_INFINITY);
      renameSync(at("team.db"), at("old.db"));
      if (what === "replaced") copyFileSync(at("old.db"), at("team.db"));
      await woken;
      await expect(store.board.add({ subject: "lost" }, lead)).rejects.toMatchObject({
        code: "store_foreign",
        exitCode: 5,
        message: expect.stringContaining(`was ${what} while`),
      });
      await expect(store.board.tasks()).rejects.toMatchObject({ code: "store_foreign" });
      await store.close();
    },
  );

  it("a damaged row is shown as such; the others work", async () => {
    const store = await open(at("team.db"));
    await store.roster.open(host("here"), "m", 1);
    const seat = await store.roster.join(profile("alice"), host("here"), lead);
    for (const text of ["a", "b"])
      await store.mail.send(lead, { to: name("alice"), body: { kind: "note", text } });
    await store.transcript.record(seat, [
      { kind: "heard", text: "one" },
      { kind: "heard", text: "two" },
    ]);
    const other = new DatabaseSync(at("team.db"), {});
    other.exec(
      "update mail set body = '{broken' where id = 1; update transcript set entry = 'x' where seq = 1; update events set data = '' where seq = 1",
    );
    other.close();
    expect((await store.mail.unread(name("alice"))).map((mail) => mail.body)).toMatchObject([
      { kind: "note", text: expect.stringContaining("damaged") },
      { text: "b" },
    ]);
    expect(await store.transcript.current(name("alice"))).toMatchObject([
      { kind: "heard", text: expect.stringContaining("damaged") },
      { text: "two" },
    ]);
    const { events } = await store.journal.read("" as Cursor);
    expect(events[0]).toMatchObject({
      type: "warning.raised",
      text: expect.stringContaining("Event 1 (team.created) is damaged"),
    });
    expect(events.length).toBeGreaterThan(2);
    await store.close();
    await expect(store.board.tasks()).rejects.toMatchObject({ code: "store_unavailable" });
  });

  it("a file that is damaged in the middle is reported, with what to do", async () => {
    const store = await open(at("team.db"));
    await store.board.addAll(
      Array.from({ length: 500 }, (_, i) => ({ subject: `${i}`, description: "x".repeat(500) })),
      lead,
    );
    await store.close();
    const other = new DatabaseSync(at("team.db"), {});
    other.exec("pragma wal_checkpoint(truncate)");
    other.close();
    const bytes = readFileSync(at("team.db"));
    bytes.fill(0xff, 4096);
    writeFileSync(at("team.db"), bytes);
    await expect(open(at("team.db")).then((again) => again.board.counts())).rejects.toMatchObject({
      code: "store_foreign",
      message: expect.stringContaining("damaged"),
    });
  });
});

describe("opening a server", () => {
  const url = (): string => inject("postgresUrl");

  it("names the server and never the password when it cannot be reached", async () => {
    const port = await freePort();
    const refused = await open(`postgres://me:very-secret@127.0.0.1:${port}/db`).catch(
      (error: unknown) => error as Error,
    );
    expect(refused).toMatchObject({
      code: "store_unavailable",
      message: expect.stringContaining(`127.0.0.1:${port}/db`),
    });
    const wrong = await open(url().replace(/:[^:@/]+@/, ":wrong-secret@")).catch(
      (error: unknown) => error as Error,
    );
    expect(wrong).toMatchObject({ code: "store_unavailable" });
    const lost = await open(url().replace(/\/postgres$/, "/no_such_database")).catch(
      (error: unknown) => error as Error,
    );
    expect(lost).toMatchObject({
      code: "store_unavailable",
      message: expect.stringContaining("no_such_database"),
    });
    await expect(open("postgres://me:very-secret@[/")).rejects.toMatchObject({ code: "store_unavailable" });
    for (const error of [refused, wrong, lost]) expect(String(error)).not.toMatch(/secret/);
  });

  it("refuses another program's schema and a newer one; many may create it at once", async () => {
    const client = await connect(url());
    await client.query("create schema theirs; create table theirs.things (x int)");
    await expect(open(`${url()}?schema=theirs`)).rejects.toMatchObject({ code: "store_foreign" });
    const stores = await Promise.all(
      ["a", "b", "c"].map((one) =>
        openStore({
          url: `${url()}?schema=together&application_name=${one}`,
          team: name("default"),
          clock: systemClock,
        }),
      ),
    );
    await Promise.all(stores.map((store) => store.board.add({ subject: "x" }, lead)));
    expect(await stores[0]?.board.counts()).toMatchObject({ total: 3 });
    await Promise.all(stores.map((store) => store.close()));
    await client.query("update together.meta set value = '99' where name = 'version'");
    await expect(open(`${url()}?schema=together`)).rejects.toMatchObject({ code: "store_newer" });
    await client.end();
    for (const schema of ["theirs", "together"]) await dropSchema(url(), schema);
  });

  it("continues after its connections were cut, and wakes all waiters", async () => {
    const store = await open(`${url()}?schema=cut&application_name=cut`);
    await store.wake.changed(store.wake.mark(), ["board"], 60_000);
    const asleep = store.wake.changed(store.wake.mark(), ["board"], 60_000);
    const client = await connect(url());
    const cut = "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'cut'";
    await client.query(`${cut} and query like 'listen%'`);
    await asleep;
    const busy = Promise.allSettled(
      Array.from({ length: 50 }, (_, i) => store.board.add({ subject: `${i}` }, person)),
    );
    for (let i = 0; i < 5; i += 1) await client.query(cut);
    const results = await busy;
    for (const result of results)
      if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "store_unavailable" });
    await expect(store.board.add({ subject: "after" }, person)).resolves.toMatchObject({ subject: "after" });
    const added = results.filter((result) => result.status === "fulfilled").length + 1;
    expect((await store.board.counts()).total).toBeGreaterThanOrEqual(added);
    await client.end();
    await store.close();
    await dropSchema(url(), "cut");
  });
});
