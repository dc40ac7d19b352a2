/** The seeds' last scenarios: a chain that nobody assigns (73), and a team that loses a member in the middle (74). */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterEach, expect, it, onTestFinished } from "vitest";
import type { Step } from "../../../src/adapters/models/scripted.ts";
import { type Name, name, PERSON } from "../../../src/core/ids.ts";
import { type HostedOptions, type HostedTeam, hostedTeam } from "../../fixtures/hosted-team.ts";

let team: HostedTeam;
afterEach(() => team.close());
const open = async (options: HostedOptions): Promise<HostedTeam> => {
  team = await hostedTeam(options);
  return team;
};
const worker = (who: string): Step[] => [
  {
    times: "any",
    when: "auto-claimed",
    calls: [{ tool: "complete_task", input: { result: `done by ${who}` } }],
  },
  { times: "any", text: "done" },
];

it("REST to GraphQL: a chain of four, three teammates, no manual assignment", async () => {
  const {
    store,
    join: enter,
    until,
    events,
  } = await open({ says: { alice: worker("alice"), bob: worker("bob"), carol: worker("carol") } });
  await store.board.addAll(
    [
      { subject: "List the REST endpoints" },
      { subject: "Write the GraphQL schema", blockedBy: [{ nth: 0 }] },
      { subject: "Write the resolvers", blockedBy: [{ nth: 1 }] },
      { subject: "Remove the REST handlers", blockedBy: [{ nth: 2 }] },
    ],
    PERSON,
  );
  await Promise.all(["alice", "bob", "carol"].map((who) => enter(who)));
  await until("task.completed", { task: 4 });
  const story = (await events("task.claimed", "task.completed")).map(
    (event) => `${event.type} ${(event as { task: number }).task}`,
  );
  expect(story).toEqual([1, 2, 3, 4].flatMap((task) => [`task.claimed ${task}`, `task.completed ${task}`]));
  for (const task of await store.board.tasks())
    expect(task).toMatchObject({ status: "completed", attempt: 1 });
});

const isAlive = ({ pid }: { readonly pid: number }): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

it("ten tasks, one teammate killed in the middle: all ten complete, once each", async () => {
  const {
    store,
    folder,
    join: enter,
    until,
    events,
  } = await open({ isAlive, says: { alice: worker("alice"), carol: worker("carol") } });
  const program = join(import.meta.dirname, "../../fixtures/teammate-owner.ts");
  const bob = spawn(process.execPath, ["--import", "tsx", program, folder, "bob"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const over = once(bob, "close");
  onTestFinished(async () => {
    bob.kill("SIGKILL");
    await over;
  });
  await until("teammate.spawned", { who: name("bob") });
  await store.board.addAll(
    Array.from({ length: 10 }, (_, i) => ({ subject: `task ${i + 1}` })),
    PERSON,
  );
  await once(bob.stdout, "data"); // it has done one, and is stuck with another
  await Promise.all([enter("alice"), enter("carol")]);
  const mine = await store.board.mine(name("bob") as Name);
  bob.kill("SIGKILL");
  await over;
  const killed = Date.now();
  const back = await until("task.released", { task: mine?.id });
  expect(back).toMatchObject({ from: "bob", why: "owner_died" });
  expect(back.at - killed).toBeLessThan(10_000); // by its process, long before its lease of 15 s is over
  await until("task.completed", { task: mine?.id });
  await Promise.all((await store.board.tasks()).map((task) => until("task.completed", { task: task.id })));
  const completed = (await events("task.completed")).map((event) => (event as { task: number }).task);
  expect(completed.sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  for (const task of await store.board.tasks()) expect(task.attempt).toBe(task.id === mine?.id ? 2 : 1);
});
