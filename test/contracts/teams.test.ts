/** Several teams in one store: separate from each other, and deleted completely. */
import { beforeEach, describe, expect, it } from "vitest";
import { openStore, teamsAt } from "../../src/adapters/store/index.ts";
import { TEAM_TABLES } from "../../src/adapters/store/team/teams.ts";
import type { Seat } from "../../src/core/board/member.ts";
import { LEAD, later, PERSON } from "../../src/core/ids.ts";
import type { Cursor, Store } from "../../src/ports/store.ts";
import { BACKENDS, claimed, connect, facts, held, host, name, stage } from "../fixtures/stage.ts";

describe.each(BACKENDS)("teams on %s", (backend) => {
  const at = stage(backend);
  let other = name("none");
  let store: Store;
  let doomed: Store;
  let seat: Seat;
  beforeEach(async () => {
    store = await at.open();
    other = name(`${at.team}-b`);
    doomed = await at.open({ team: other });
    await doomed.roster.open(host("there"), "this machine", process.pid);
    seat = await doomed.roster.join(
      { name: name("zoe"), kind: "teammate", role: "", model: "", prompt: "hello", needsPlan: false },
      host("there"),
      PERSON,
    );
  });

  it("a team that runs or has unfinished work stays, and the obstacle is named", async () => {
    const task = await doomed.board.add({ subject: "a" }, PERSON);
    await expect(store.removeTeam(other, PERSON)).rejects.toThrow(/being run by process \d+ on this machine/);
    await expect(store.removeTeam(other, PERSON, true)).rejects.toThrow(/being run by process/);
    await doomed.roster.suspend(host("there"));
    await expect(store.removeTeam(other, PERSON)).rejects.toMatchObject({
      code: "bad_input",
      message: expect.stringContaining("members that have not stopped (zoe) and an unfinished task"),
    });
    await expect(store.removeTeam(name("nobody-here"), PERSON)).rejects.toMatchObject({ code: "not_found" });
    expect(await doomed.board.task(task.id)).not.toBeNull();
    expect(await facts(store, { types: ["team.deleted"] })).toEqual([]);
  });

  it("a team at rest is deleted with all its rows, and no other team changes", async () => {
    await store.board.add({ subject: "mine" }, PERSON);
    await store.mail.send(PERSON, { to: LEAD, body: { kind: "note", text: "kept" } });
    const first = await doomed.board.add({ subject: "a" }, PERSON);
    await doomed.board.add({ subject: "b", blockedBy: [first.id] }, PERSON);
    const task = await claimed(doomed, seat);
    const ask = { kind: "plan", task: task.id, attempt: 1, plan: "p" } as const;
    await doomed.requests.ask(seat.name, LEAD, ask, later(at.clock.now(), 1_000));
    await doomed.board.complete(held(seat, task), "done");
    await doomed.crons.add(
      {
        expression: "* * * * *",
        zone: "UTC",
        text: "x",
        target: { kind: "task" },
        once: false,
        session: null,
      },
      PERSON,
    );
    await doomed.roster.suspend(host("there"));
    const before = await store.journal.end();
    await store.removeTeam(other, PERSON, true);

    expect(await store.teams()).not.toContain(other);
    expect(await teamsAt({ url: at.url })).not.toContain(other);
    await expect(
      openStore({ url: at.url, team: other, clock: at.clock, access: "use" }),
    ).rejects.toMatchObject({ code: "not_found" });
    const { events } = await store.journal.read(before);
    expect(events).toMatchObject([{ type: "team.deleted", team: other, by: "person" }]);
    expect(await store.board.tasks()).toMatchObject([{ subject: "mine" }]);
    expect(await store.mail.unread(LEAD)).toHaveLength(1);

    // A new team of that name starts empty, and a follower of another team misses nothing.
    const again = await at.open({ team: other });
    expect([
      await again.board.tasks(),
      await again.roster.members(),
      await again.mail.box(name("zoe")),
    ]).toEqual([[], [], []]);
    expect(await again.crons.list()).toEqual([]);
    expect((await again.journal.read("" as Cursor)).events.map(({ type }) => type)).toEqual(["team.created"]);
    const cursor = await store.journal.end();
    await store.board.add({ subject: "later" }, PERSON);
    expect((await store.journal.read(cursor)).events).toMatchObject([{ type: "task.added" }]);
  });

  // Both databases have the same tables, so PostgreSQL's catalogue is asked for both.
  if (backend === "postgres")
    it("every table with a team is in the list", async () => {
      const client = await connect(at.url.replace(/\?.*$/, ""));
      try {
        const schema = new URL(at.url).searchParams.get("schema");
        const { rows } = await client.query(
          `select table_name from information_schema.columns where table_schema = '${schema}' and column_name = 'team'`,
        );
        expect(rows.map((row) => row.table_name).sort()).toEqual([...TEAM_TABLES].sort());
      } finally {
        await client.end();
      }
    });
});
