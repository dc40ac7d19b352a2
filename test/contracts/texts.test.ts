/** The texts of tasks are stored once, and the journal says all the same which text a task had at each moment. */
import { beforeEach, describe, expect, inject, it } from "vitest";
import { databaseClass } from "../../src/adapters/store/databases/sqlite-file.ts";
import type { Event } from "../../src/core/event.ts";
import { LEAD, PERSON, type TaskId } from "../../src/core/ids.ts";
import type { Store } from "../../src/ports/store.ts";
import { BACKENDS, connect, held, stage } from "../fixtures/stage.ts";

const DAY = 86_400_000;

describe.each(BACKENDS)("texts on %s", (backend) => {
  const at = stage(backend);
  let store: Store;
  beforeEach(async () => {
    store = await at.open();
  });
  /** All values of a column, as the tables hold them. */
  const column = async (name: string, table: string): Promise<string[]> => {
    const text = `select ${name} as value from ${table} where team = '${at.team}'`;
    if (backend === "sqlite") {
      const db = new (await databaseClass())(at.url.replace("sqlite:", ""), {});
      const rows = db.prepare(text).all() as { value: string }[];
      db.close();
      return rows.map(({ value }) => value);
    }
    const client = await connect(inject("postgresUrl"));
    await client.query(`set search_path = ${new URL(at.url).searchParams.get("schema")}`);
    const { rows } = await client.query<{ value: string }>(text);
    await client.end();
    return rows.map(({ value }) => value);
  };
  const events = async (): Promise<readonly Event[]> =>
    (await store.journal.read(store.journal.from(0))).events;
  const told = async (): Promise<(string | undefined)[]> =>
    (await events()).flatMap((event) =>
      event.type === "task.added"
        ? [event.description]
        : event.type === "task.changed"
          ? [event.now?.description]
          : [],
    );

  it("are in one place each, and in the facts of every moment", async () => {
    const first = await store.board.add({ subject: "Paint", description: "the old words" }, PERSON);
    const second = await store.board.add({ subject: "Paint", description: "others" }, PERSON);
    await store.board.change(first.id, { description: "the new words", priority: 3 }, LEAD);
    await store.board.change(first.id, { priority: 4 }, LEAD);
    await store.board.change(first.id, { description: "" }, LEAD);
    await store.board.change(first.id, { description: "the old words" }, LEAD);
    await store.board.change(second.id, { description: "the old words" }, LEAD);
    const words = [
      "the old words",
      "others",
      "the new words",
      undefined,
      "",
      "the old words",
      "the old words",
    ];
    expect(await told()).toEqual(words);
    expect((await column("data", "events")).join()).not.toContain("words");
    expect((await column("text", "texts")).sort()).toEqual(["", "others", "the new words", "the old words"]);
    expect(await column("description", "tasks")).toEqual(["the old words", "the old words"]);
    // A page of the journal that begins behind the first text, and one of a single type.
    const [, , , change] = await events();
    const page = await store.journal.read(store.journal.from(change?.seq ?? 0), { types: ["task.changed"] });
    expect(page.events.map((event) => ("now" in event ? event.now?.description : null))).toEqual(
      words.slice(3),
    );
  });

  it("are shown by no fact that does not name them", async () => {
    const { id } = await store.board.add({ subject: "Paint", description: "a" }, PERSON);
    await store.board.change(id, { subject: "Draw" }, LEAD);
    expect((await events()).at(-1)).toMatchObject({ what: ["subject"], now: { subject: "Draw" } });
    expect((await told()).at(-1)).toBeUndefined();
  });

  it("go with the facts that name them when the journal is pruned", async () => {
    const { store: team, lead } = await at.crew([], { leaseMs: 1_000 * DAY });
    const add = (subject: string) => team.board.add({ subject, description: `${subject} 1` }, PERSON);
    const [done, open] = [await add("done"), await add("open")];
    for (const { id, subject } of [done, open])
      await team.board.change(id, { description: `${subject} 2` }, LEAD);
    const claim = await team.board.claim(lead, done.id);
    if (claim.ok) await team.board.complete(held(lead, claim.task), "painted");
    await at.clock.advance(40 * DAY);
    await team.prune(at.clock.now(), PERSON);
    expect(await column("text", "texts")).toEqual(["open 1"]);
    expect(await told()).toEqual(["open 1", "open 2"]);
  });

  it("add less than a quarter to the journal", async () => {
    const size = async (): Promise<number> => (await column("data", "events")).join("").length;
    const life = async (description: string): Promise<number> => {
      const before = await size();
      const tasks = Array.from({ length: 20 }, (_, i) => ({ subject: `Task ${i}`, description }));
      for (const { id } of await store.board.addAll(tasks, PERSON)) {
        await store.board.change(id as TaskId, { priority: 1 }, LEAD);
        await store.board.cancel(id, LEAD, "not wanted");
      }
      return (await size()) - before;
    };
    const short = await life("x");
    expect(await life("words ".repeat(100))).toBeLessThan(short * 1.25);
  });
});
