/** Rows of background commands, on every store: a job ends once, its owner is mailed once, and the team is not quiet before. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Seat } from "../../src/core/board/member.ts";
import { asJobId, asTaskId, HARNESS, LEAD } from "../../src/core/ids.ts";
import type { Store } from "../../src/ports/index.ts";
import { BACKENDS, claimed, held, host, name, profile, stage } from "../fixtures/stage.ts";

const HOST = host("here");
const alice = name("alice");
const JOB = { command: "npm test", machine: "box", outputPath: "out/j.txt" };
const DONE = { state: "done", exitCode: 0, signal: null } as const;

describe.each(BACKENDS)("jobs on %s", (backend) => {
  const at = stage(backend);
  let store: Store;
  let seat: Seat;

  beforeEach(async () => {
    const crew = await at.crew(["alice"]);
    store = crew.store;
    seat = crew.seats[0] as Seat;
  });

  const toAlice = async () => (await store.mail.box(alice)).map(({ from, body }) => ({ from, body }));

  it("are counted per team and remember what is known of them", async () => {
    const job = await store.jobs.add(seat, JOB);
    expect(job).toMatchObject({ id: 1, owner: alice, state: "running", pid: null, host: HOST, ...JOB });
    await store.jobs.started(job.id, 4711);
    expect(await store.jobs.job(job.id)).toMatchObject({ pid: 4711, endedAt: null });
    expect(await store.jobs.add(seat, JOB)).toMatchObject({ id: 2 });
    expect((await store.jobs.list(alice)).map((one) => one.id)).toEqual([1, 2]);
    expect((await store.jobs.list(null, 1)).map((one) => one.id)).toEqual([2]);
    expect(await store.jobs.list(LEAD)).toEqual([]);
    expect([
      await store.jobs.running(null),
      await store.jobs.running(alice),
      await store.jobs.running(LEAD),
    ]).toEqual([2, 2, 0]);
    expect(await store.jobs.job(asJobId(9))).toBeNull();
  });

  it("are started only by the holder of the seat", async () => {
    const stranger = { name: alice, host: host("there") };
    await expect(store.jobs.add(stranger, JOB)).rejects.toMatchObject({ code: "stale_seat" });
    expect(await store.jobs.list(null)).toEqual([]);
  });

  it("end once, and the owner is told once", async () => {
    const { id } = await store.jobs.add(seat, JOB);
    const [failed, done] = await Promise.all([
      store.jobs.end(id, { state: "failed", exitCode: 3, signal: null }, "exit code 3"),
      store.jobs.end(id, DONE, "exit code 0"),
    ]);
    expect(failed).toBe(!done); // either of the two may be first
    expect(await store.jobs.end(id, DONE, "again")).toBe(false);
    const end = failed ? { state: "failed", exitCode: 3 } : { state: "done", exitCode: 0 };
    expect(await store.jobs.job(id)).toMatchObject(end);
    const body = { kind: "job_done", job: "j1", command: "npm test" } as const;
    expect(await toAlice()).toEqual([
      { from: HARNESS, body: { ...body, text: `exit code ${end.exitCode}`, isError: failed } },
    ]);
    expect(await store.jobs.note(id, "too late")).toBe(false);
  });

  it("may end without mail, and may be reported on while they run", async () => {
    const { id } = await store.jobs.add(seat, JOB);
    expect(await store.jobs.note(id, "waits for input")).toBe(true);
    await store.jobs.end(id, { state: "stopped", why: "asked" }, null);
    expect(await toAlice()).toEqual([{ from: HARNESS, body: { kind: "note", text: "waits for input" } }]);
    const { events } = await store.journal.read(store.journal.from(0), {
      types: ["job.started", "job.ended"],
    });
    expect(events).toMatchObject([
      { type: "job.started", job: 1 },
      { type: "job.ended", state: "stopped" },
    ]);
  });

  it("of dead processes become unknown and are reported once; those of living ones do not change", async () => {
    await store.roster.open(host("there"), "box", 2);
    const bob = await store.roster.join(profile("bob"), host("there"), LEAD);
    const lost = await store.jobs.add(seat, JOB);
    const kept = await store.jobs.add(bob, JOB);
    expect(await store.jobs.lose(() => "gone")).toEqual([]);
    await store.roster.reap(({ pid }) => pid === 2);
    const reports = await Promise.all([store.jobs.lose(() => "gone"), store.jobs.lose(() => "gone")]);
    expect(reports.flat()).toMatchObject([{ id: lost.id, state: "unknown" }]);
    expect(await store.jobs.lose(() => "gone")).toEqual([]);
    expect(await store.jobs.job(kept.id)).toMatchObject({ state: "running" });
    expect(await toAlice()).toMatchObject([{ body: { kind: "job_done", text: "gone", isError: true } }]);
    expect(await store.jobs.end(lost.id, DONE, "late")).toBe(false);
  });

  it("of a member that has left are reported to the lead", async () => {
    const { id } = await store.jobs.add(seat, JOB);
    await store.roster.leave(seat, "asked", "");
    await store.jobs.end(id, DONE, "exit code 0");
    expect((await store.mail.box(LEAD)).map((mail) => mail.body.kind)).toEqual(["stopped", "job_done"]);
  });

  it("of a task keep the team busy no longer than the task; the lead is told which still run", async () => {
    const rest = async (): Promise<void> => {
      for (const name of [LEAD, alice])
        await store.roster.setActivity({ name, host: HOST }, { phase: "idle", reason: "no_tool_use" });
    };
    await rest();
    await store.board.add({ subject: "x" }, LEAD);
    const claim = held(seat, await claimed(store, seat));
    const server = await store.jobs.add(seat, { ...JOB, command: "npm run\n  dev" });
    expect(server.task).toBe(claim.task);
    expect(await store.board.announceQuiet()).toBe("busy");
    await store.board.complete(claim, "it listens");
    const later = await store.jobs.add(seat, JOB); // the caller waits for it
    expect(later.task).toBeNull();
    expect(await store.board.announceQuiet()).toBe("busy");
    expect([
      await store.jobs.running(alice),
      await store.jobs.running(alice, claim.task),
      await store.jobs.running(alice, asTaskId(9)),
    ]).toEqual([2, 2, 1]);
    await store.jobs.end(later.id, DONE, null);
    expect(await store.board.announceQuiet()).toBe("told");
    expect((await store.mail.box(LEAD)).at(-1)?.body).toMatchObject({
      kind: "board_quiet",
      running: [{ job: "j1", owner: alice, command: "npm run dev" }],
    });
    await store.mail.take(LEAD);
    expect(await store.board.announceQuiet()).toBe("quiet");
  });

  it("keep the team from being quiet while they run", async () => {
    for (const name of [LEAD, alice])
      await store.roster.setActivity({ name, host: HOST }, { phase: "idle", reason: "no_tool_use" });
    const task = await store.board.add({ subject: "x" }, LEAD);
    await store.board.cancel(task.id, LEAD, "");
    const { id } = await store.jobs.add(seat, JOB);
    expect(await store.board.announceQuiet()).toBe("busy");
    await store.jobs.end(id, DONE, null);
    expect(await store.board.announceQuiet()).toBe("told");
  });
});
