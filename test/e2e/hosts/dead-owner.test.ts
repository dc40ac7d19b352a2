/** The process of a member is killed: another process of the same machine gives its task back by the pid, long before the lease is over. */
import { hostname } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { DEFAULT_TEAM, instant, LEAD, PERSON } from "../../../src/core/ids.ts";
import { endAll, start } from "../../fixtures/children.ts";
import { programTeam } from "../../fixtures/program-team.ts";
import { soon } from "../../fixtures/soon.ts";

afterEach(endAll);

const LEASE_MS = 60_000;

it("its task is back long before its lease is over", async () => {
  const team = await programTeam({
    says: { lead: [{ times: "any", text: "ok" }] },
    settings: { teammates: [], leaseMs: LEASE_MS },
    host: { interactive: true },
  });
  await team.host.start({ goal: "Wait." });
  await team.until("teammate.phase", { who: "lead", phase: "idle" });
  const url = `sqlite:${join(team.folder, ".ekiden/team.db")}`;
  const took: number[] = [];
  for (const me of ["bob", "carol", "dave"]) {
    const { id } = await team.store.board.add({ subject: `of ${me}` }, PERSON);
    const owner = start({ url, team: DEFAULT_TEAM, job: "hold", me, machine: hostname() });
    expect(await owner.next()).toMatchObject({ held: id });
    owner.kill();
    await owner.ended();
    const killed = Date.now();
    const back = await team.until("task.released", { task: id });
    expect(back).toMatchObject({ from: me, why: "owner_died" });
    took.push(back.at - killed);
    await team.store.board.completeFor(id, PERSON, "done");
  }
  // A fraction of a second on a machine that is not busy with other things.
  expect(Math.max(...took)).toBeLessThan(LEASE_MS / 4);
});

it("is taken over with its claim by a process that continues with the team, however long that one takes to start", async () => {
  const team = await programTeam({
    says: {
      lead: [{ times: "any", text: "ok" }],
      alice: [
        { calls: [{ tool: "complete_task", input: { result: "ok" } }] },
        { times: "any", text: "done" },
      ],
    },
    settings: { teammates: [], leaseMs: LEASE_MS },
  });
  const url = `sqlite:${join(team.folder, ".ekiden/team.db")}`;
  const { id } = await team.store.board.add({ subject: "of alice" }, PERSON);
  const owner = start({ url, team: DEFAULT_TEAM, job: "hold", me: "alice", machine: hostname() });
  expect(await owner.next()).toMatchObject({ held: id });
  owner.kill();
  await owner.ended();
  // Its look for dead hosts comes before the one for requests that nobody answered.
  const ask = { kind: "plan", task: id, attempt: 7, plan: "none" } as const;
  const { id: asked } = await team.store.requests.ask(LEAD, PERSON, ask, instant(1));
  await soon(async () =>
    expect((await team.store.requests.request(asked))?.state, "the look").toBe("expired"),
  );
  expect(await team.store.board.task(id)).toMatchObject({ status: "in_progress", attempt: 1 });
  await team.host.start({ resume: true });
  await team.until("task.completed", { task: id });
  expect(await team.store.board.task(id)).toMatchObject({ owner: "alice", attempt: 1 });
});
