/** A person does tasks by hand: the claim is the person's, without a lease, and members leave it alone. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { words } from "../../core/board/mail.ts";
import type { Seat } from "../../core/board/member.ts";
import { asTaskId, type HostId, name, PERSON, type TaskId } from "../../core/ids.ts";
import type { Store } from "../../ports/store.ts";
import { systemClock } from "../clock.ts";
import { openStore } from "./index.ts";

let store: Store;
let folder: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "ekiden-hand-"));
  store = await openStore({ url: join(folder, "team.db"), team: name("default"), clock: systemClock });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

async function seat(): Promise<Seat> {
  await store.roster.open("here" as HostId, "machine", process.pid);
  const profile = {
    name: name("alice"),
    kind: "teammate",
    role: "",
    model: "",
    prompt: "",
    needsPlan: false,
  } as const;
  return await store.roster.join(profile, "here" as HostId, PERSON);
}

it("claims, gives back, completes and fails", async () => {
  const alice = await seat();
  const { board } = store;
  const [one, two] = [asTaskId(1), asTaskId(2)];
  await board.addAll([{ subject: "Sign" }, { subject: "Send", blockedBy: [{ nth: 0 }] }], PERSON);
  await expect(board.claimFor(two, PERSON)).rejects.toMatchObject({ code: "bad_input" });
  await board.claimFor(one, PERSON);
  await board.claimFor(one, PERSON);
  expect(await board.task(one)).toMatchObject({ status: "in_progress", owner: PERSON, attempt: 1 });
  expect(await board.claimNext(alice)).toBeNull();
  await store.roster.reap(() => false);
  expect(await board.task(one)).toMatchObject({ status: "in_progress", owner: PERSON });
  await board.takeBack(one, PERSON);
  expect(await board.task(one)).toMatchObject({ status: "pending" });
  await board.claimFor(one, PERSON);
  expect(await board.completeFor(one, PERSON, "signed")).toEqual([two]);
  expect(await board.task(one)).toMatchObject({ status: "completed", owner: PERSON, result: "signed" });
  await board.failFor(two, PERSON, "no stamps");
  expect(await board.task(two)).toMatchObject({ status: "failed", owner: PERSON, reason: "no stamps" });
  await expect(board.claimFor(two, PERSON)).rejects.toMatchObject({ code: "already_started" });
});

it("names the command that helps where an order is refused", async () => {
  const { board } = store;
  const ids = [1, 2, 3, 4].map(asTaskId) as [TaskId, TaskId, TaskId, TaskId];
  const [running, completed, failed, cancelled] = ids;
  await board.addAll([{ subject: "a" }, { subject: "b" }, { subject: "c" }, { subject: "d" }], PERSON);
  await board.claimNext(await seat());
  await board.completeFor(completed, PERSON, "");
  await board.failFor(failed, PERSON, "");
  await board.cancel(cancelled, PERSON, "");
  const refused = async (act: Promise<unknown>, words: string): Promise<void> =>
    expect(act).rejects.toThrow(words);
  await refused(board.retry(running, PERSON), "in progress with alice. Take it back (ekiden release 1), or");
  await refused(board.assign(running, null, PERSON), "so that any member can claim it: ekiden release 1");
  await refused(board.change(running, { role: "x" }, PERSON), "Take it back first: ekiden release 1");
  for (const act of [board.takeBack, board.claimFor] as const) {
    await refused(
      act(completed, PERSON),
      "Task #2 is completed. Add a new task for further work: ekiden reopen 2 names this one in it.",
    );
    await refused(
      act(failed, PERSON),
      "Task #3 has failed. To put it back on the board first: ekiden retry 3",
    );
    await refused(
      act(cancelled, PERSON),
      "Task #4 is cancelled. To put it back on the board first: ekiden retry 4",
    );
  }
  await refused(board.assign(cancelled, PERSON, PERSON), "ekiden retry 4");
});

it("tells the owner of a task that is failed by hand", async () => {
  const alice = await seat();
  const { id } = await store.board.add({ subject: "Wait" }, PERSON);
  expect(await store.board.claimNext(alice)).toMatchObject({ id });
  await store.board.failFor(id, PERSON, "too late");
  const [told] = await store.mail.unread(alice.name);
  expect(told && words(told.body)).toMatch(/^#1 was given up as failed \(too late\)\. You no longer own it/);
});
