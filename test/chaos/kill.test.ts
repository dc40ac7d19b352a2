/** kill -9 at any moment, again and again: whole steps only, nothing done twice, every task completed in the end. */
import { afterEach, describe, expect, inject, it } from "vitest";
import { systemClock } from "../../src/adapters/clock.ts";
import type { Event } from "../../src/core/event.ts";
import type { Cursor, Store } from "../../src/ports/store.ts";
import { endAll, start } from "../fixtures/children.ts";
import { soon } from "../fixtures/soon.ts";
import { BACKENDS, connect, name, stage } from "../fixtures/stage.ts";

const lead = name("lead");
const ROUNDS = 12;

async function everything(store: Store): Promise<Event[]> {
  const events: Event[] = [];
  for (let cursor = "" as Cursor; ; ) {
    const page = await store.journal.read(cursor, { limit: 5_000 });
    if (page.events.length === 0) return events;
    events.push(...page.events);
    cursor = page.cursor;
  }
}

const count = (events: readonly Event[], type: Event["type"], task: number): number =>
  events.filter((event) => event.type === type && "task" in event && event.task === task).length;

describe.each(BACKENDS)("killing on %s", (backend) => {
  const at = stage(backend);
  afterEach(endAll);
  /** Where the processes that are killed find the store: by a name of their own. */
  const VICTIM = "victim";
  const address = (): string => (backend === "postgres" ? `${at.url}&application_name=${VICTIM}` : at.url);
  /** PostgreSQL ends what it was sent before it learns that nobody is there any more. */
  async function forgotten(): Promise<void> {
    if (backend === "sqlite") return;
    const client = await connect(inject("postgresUrl"));
    const sessions = `select 1 from pg_stat_activity where application_name = '${VICTIM}'`;
    await soon(async () => expect((await client.query(sessions)).rows).toEqual([]));
    await client.end();
  }

  it("a process killed between any two writes leaves a consistent team", async () => {
    const store = await at.open({ clock: systemClock });
    // On a machine that is busy they get less far: then there are more rounds.
    for (let round = 0; round < ROUNDS || (await store.board.counts()).total <= ROUNDS; round += 1) {
      const victims = ["a", "b"].map((one) =>
        start({ url: address(), team: at.team, job: "churn", me: `${one}-${round}` }),
      );
      await Promise.all(victims.map((victim) => victim.next()));
      await new Promise((done) => setTimeout(done, Math.random() * 400 * (1 + round / ROUNDS)));
      for (const victim of victims) victim.kill();
      await Promise.all(victims.map((victim) => victim.ended()));
      await store.roster.reap(() => false);
    }
    await forgotten();
    const events = await everything(store);
    const tasks = await store.board.tasks();
    expect(tasks.map((task) => task.id)).toEqual(tasks.map((_, i) => i + 1));
    const status = new Map(tasks.map((task) => [task.id, task.status]));
    for (const task of tasks) {
      expect(task.status).not.toBe("in_progress");
      expect(task.openBlockers).toBe(task.blockedBy.filter((id) => status.get(id) !== "completed").length);
      expect(count(events, "task.added", task.id)).toBe(1);
      expect(count(events, "task.claimed", task.id)).toBe(task.attempt);
      expect(count(events, "task.completed", task.id)).toBe(task.status === "completed" ? 1 : 0);
    }
    // Mail is read exactly when the conversation says so, and a claim or a completion exactly when it was answered.
    for (const member of await store.roster.members()) {
      const said = (await store.transcript.all(member.name, 0, 100_000)).map(({ entry }) =>
        "text" in entry ? entry.text : "",
      );
      // The answer to a permission question is in the conversation as the result of the call that asked.
      const delivered = events.flatMap((event) =>
        event.type === "mail.delivered" && event.to === member.name && event.kind !== "permission_response"
          ? [`mail ${event.mail}`]
          : [],
      );
      expect(said.filter((text) => text.startsWith("mail "))).toEqual(delivered);
      const facts = events.flatMap((event) =>
        (event.type === "task.claimed" || event.type === "task.completed") && event.by === member.name
          ? [`${event.type.slice("task.".length)} ${event.task}`]
          : [],
      );
      expect(said.filter((text) => /^(claimed|completed) /.test(text))).toEqual(facts);
    }
  });

  it("tasks whose owners are killed all the time are all completed, once", async () => {
    const size = backend === "sqlite" ? 3_000 : 600;
    const store = await at.open({ clock: systemClock, maxAttempts: 1_000 });
    await store.board.addAll(
      Array.from({ length: size }, (_, i) => ({
        subject: `${i}`,
        blockedBy: i % 3 === 2 ? [{ nth: i - 1 }] : [],
      })),
      lead,
    );
    let born = 0;
    const worker = () => {
      const child = start({ url: at.url, team: at.team, job: "drain", me: `w-${born++}` });
      child.go();
      return child;
    };
    const crew = [worker(), worker(), worker()];
    for (let kills = 0; kills < 15; kills += 1) {
      await crew[0]?.next();
      await new Promise((done) => setTimeout(done, Math.random() * 150));
      const victim = crew.shift();
      victim?.kill();
      await victim?.ended();
      const gone = new Set(
        (await store.roster.hosts()).filter((host) => host.pid === victim?.pid).map((host) => host.pid),
      );
      await store.roster.reap(({ pid }) => !gone.has(pid));
      crew.push(worker());
    }
    await Promise.all(crew.map((child) => child.ended()));
    const events = await everything(store);
    for (const task of await store.board.tasks()) {
      expect(task.status).toBe("completed");
      expect(count(events, "task.completed", task.id)).toBe(1);
      expect(count(events, "task.released", task.id)).toBe(task.attempt - 1);
    }
  });
});
