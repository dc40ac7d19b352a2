/** A worker in the same process as a team: it gets teammates of the lead, and continues with those of a process that is gone. */
import { spawn as spawnProcess } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { type Step, scripted } from "../../../src/adapters/models/scripted.ts";
import type { Name } from "../../../src/core/ids.ts";
import { DEFAULT_SETTINGS } from "../../../src/core/settings/settings.ts";
import { openWorker, type Worker } from "../../../src/host/worker/worker.ts";
import type { Model, Store } from "../../../src/ports/index.ts";
import { programTeam } from "../../fixtures/program-team.ts";
import { soon } from "../../fixtures/soon.ts";

const NOTED: Step = { text: "Noted.", times: "any" };

async function workerIn(
  folder: string,
  steps: readonly Step[],
  count = 1,
): Promise<Worker & { said: string[] }> {
  const model: Model = scripted([...steps, NOTED], "worker");
  const said: string[] = [];
  const worker = await openWorker({
    settings: { ...DEFAULT_SETTINGS, model: "scripted", idlePollMs: 200, permissionMode: "bypass" },
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder },
    count,
    names: null,
    role: "",
    tell: (text) => said.push(text),
    openModel: () => Promise.resolve(model),
  });
  onTestFinished(() => worker.close());
  return Object.assign(worker, { said });
}

const hostOf = async (store: Store, who: string): Promise<string | null | undefined> =>
  (await store.roster.member(who as Name))?.host;

it("runs a teammate that the lead adds; its own idle member makes room; after a drain the next worker continues with it", async () => {
  const spawn = { tool: "spawn_teammate", input: { name: "rita", role: "reviewer" } };
  const task = { tool: "create_task", input: { subject: "Review", role: "reviewer" } };
  const { host, store, folder } = await programTeam({
    says: { lead: [{ when: "Begin", calls: [spawn] }, { when: "rita", calls: [task] }, NOTED] },
    settings: { teammates: [] },
    host: { interactive: true },
  });
  const first = await workerIn(folder, [
    { who: "rita", when: "Review", calls: [{ tool: "idle", input: { waiting_for: "messages" } }] },
  ]);
  expect(first.names).toEqual(["worker-1"]);
  await soon(async () =>
    expect(await store.roster.member("worker-1" as Name)).toMatchObject({ activity: { phase: "idle" } }),
  );
  await host.start({ goal: "Begin" });
  await soon(() => expect(first.names).toEqual(["rita"]));
  expect(await store.roster.member("worker-1" as Name)).toMatchObject({
    activity: { phase: "shutdown", reason: "replaced" },
  });
  await soon(async () => expect(await store.board.mine("rita" as Name)).toMatchObject({ subject: "Review" }));
  const [place] = (await store.roster.hosts()).filter(({ capacity }) => capacity > 0);
  expect(place).toMatchObject({ capacity: 1, members: 1 });
  expect(await hostOf(store, "rita")).toBe(place?.id);

  first.drain(0);
  expect(await first.done).toEqual({ reason: "cut" });
  expect(await store.roster.member("rita" as Name)).toMatchObject({
    host: null,
    activity: { phase: "idle" },
  });
  const second = await workerIn(folder, [
    { who: "rita", calls: [{ tool: "complete_task", input: { result: "Fine." } }] },
  ]);
  expect(second.said).toContain("Takes over rita.");
  await soon(async () =>
    expect(await store.board.tasks()).toMatchObject([{ status: "completed", owner: "rita", attempt: 1 }]),
  );
});

it("continues with a teammate of the lead whose worker was killed, without a resume", async () => {
  const spawn = { tool: "spawn_teammate", input: { name: "rita", role: "reviewer" } };
  const task = { tool: "create_task", input: { subject: "Review", role: "reviewer" } };
  const { host, store, folder } = await programTeam({
    says: { lead: [{ when: "Begin", calls: [spawn] }, { when: "rita", calls: [task] }, NOTED] },
    settings: { teammates: [] },
    host: { interactive: true },
  });
  const script = fileURLToPath(new URL("../../fixtures/worker-owner.ts", import.meta.url));
  const first = spawnProcess(process.execPath, ["--import", "tsx", script, folder], { stdio: "ignore" });
  onTestFinished(() => void first.kill("SIGKILL"));
  await soon(async () =>
    expect(await store.roster.member("worker-1" as Name)).toMatchObject({ activity: { phase: "idle" } }),
  );
  await host.start({ goal: "Begin" });
  await soon(async () => expect(await store.board.mine("rita" as Name)).toMatchObject({ subject: "Review" }));
  expect((await store.roster.hosts()).find(({ capacity }) => capacity > 0)).toMatchObject({ pid: first.pid });
  first.kill("SIGKILL");
  const second = await workerIn(folder, [
    // Before it claims the task again it answers what the killed process had heard.
    { who: "rita", when: "Review", times: 2, calls: [{ tool: "complete_task", input: { result: "Fine." } }] },
  ]);
  await soon(async () =>
    expect(await store.board.tasks()).toMatchObject([{ status: "completed", owner: "rita" }]),
  );
  expect(second.said).toContain("Takes over rita.");
});

it("leaves the lead and the members of living processes alone", async () => {
  const { host, folder } = await programTeam({
    says: { lead: [NOTED], alice: [NOTED] },
    host: { interactive: true },
  });
  await host.start({ interactive: true });
  const worker = await workerIn(folder, [], 3);
  expect([...worker.names].sort()).toEqual(["worker-1", "worker-2", "worker-3"]);
  await host.interrupt();
  // Nobody needs what only alice could do: she stays for a resume.
  await soon(async () => expect(await hostOf(worker.store, "alice")).toBeNull());
  expect([...worker.names].sort()).toEqual(["worker-1", "worker-2", "worker-3"]);
});

it("refuses to claim with a tool while it drains", async () => {
  const { host, store, folder } = await programTeam({
    says: { lead: [NOTED] },
    settings: { teammates: [] },
    host: { interactive: true },
  });
  await host.start({ interactive: true });
  const worker = await workerIn(folder, [
    {
      who: "worker-1",
      when: "hello",
      calls: [{ tool: "bash", input: { command: "sleep 0.1; while [ ! -e go ]; do sleep 0.05; done" } }],
    },
    { who: "worker-1", calls: [{ tool: "claim_task", input: { id: 1 } }] },
  ]);
  await store.mail.send("person" as Name, { to: "worker-1" as Name, body: { kind: "note", text: "hello" } });
  await soon(async () => expect(await store.roster.member("worker-1" as Name)).toMatchObject({ turns: 1 }));
  await store.board.add({ subject: "Late" }, "person" as Name);
  worker.drain(60_000);
  writeFileSync(`${folder}/go`, "");
  expect(await worker.done).toEqual({ reason: "drained" });
  expect(await store.board.tasks()).toMatchObject([{ status: "pending", attempt: 0 }]);
  const heard = JSON.stringify(await store.transcript.current("worker-1" as Name));
  expect(heard).toContain("The process you run in is about to end");
});
