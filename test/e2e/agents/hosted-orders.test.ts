/** Orders of the person about a task that an agent program works on: its prompt ends at once, nothing more of it is done, and it hears why. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Name, PERSON } from "../../../src/core/ids.ts";
import type { Store } from "../../../src/ports/index.ts";
import { cancelTask, editTask, releaseTask } from "../../../src/team/actions/tasks.ts";
import { agentProgram } from "../../fixtures/agent-program.ts";
import { sampled } from "../../fixtures/fuzz.ts";
import { programTeam } from "../../fixtures/program-team.ts";
import { soon } from "../../fixtures/soon.ts";

const ONE = 1 as never;
type Order = {
  readonly give: (store: Store) => Promise<{ readonly text: string }>;
  readonly said: RegExp;
  /** The text that the program gets. */
  readonly heard: RegExp;
  readonly after: object;
};
const ORDERS: Readonly<Record<string, Order>> = {
  release: {
    give: (store) => releaseTask(store, PERSON, ONE),
    said: /#1 is back on the board; ann was told to stop/,
    heard: /You no longer own it/,
    after: { status: "completed", owner: "ann", attempt: 2 },
  },
  cancel: {
    give: (store) => cancelTask(store, PERSON, ONE, "not needed"),
    said: /#1 is cancelled; ann was told to stop/,
    heard: /not needed/,
    after: { status: "cancelled" },
  },
  assign: {
    give: (store) => editTask(store, PERSON, ONE, { assignee: "bob" as Name }),
    said: /#1: changed assignee; ann was told to stop/,
    heard: /You no longer own it/,
    after: { assignee: "bob" },
  },
  edit: {
    give: (store) => editTask(store, PERSON, ONE, { description: "In green" }),
    said: /#1: changed description; ann was told/,
    heard: /In green/,
    after: { status: "completed", attempt: 1, description: "In green" },
  },
};

describe.each([
  ["ends its prompt", false],
  ["ignores that", true],
])("a program that %s", (_, ignoresCancel) => {
  const orders = sampled(Object.entries(ORDERS), 2, ignoresCancel ? 1 : 0);
  it.each(orders)("%s", async (order, { give, said, heard, after }) => {
    // Only an order ends the first prompt. The next prompt writes at once, and completes the task.
    const late = [{ write: ["late.txt", "late"] }, { call: "complete_task", input: { result: "done" } }];
    const program = agentProgram({ prompts: [[{ say: "I begin." }, { hang: true }], late], ignoresCancel });
    const bob = order === "assign" ? [{ name: "bob" as Name, role: "" }] : [];
    const waits = { calls: [{ tool: "idle", input: { waiting_for: "messages" } }] };
    const team = await programTeam({
      says: { lead: [{ times: "any", text: "Waiting." }], bob: [{ times: "any", ...waits }] },
      settings: { teammates: [program.recruit("ann"), ...bob], sandbox: "off", permissionMode: "bypass" },
      host: { interactive: true },
    });
    await team.host.start({ goal: "Do the task" });
    for (const who of ["ann", ...bob.map(({ name }) => name)]) await team.until("teammate.spawned", { who });
    await team.store.board.add({ subject: "Paint", assignee: "ann" as Name }, PERSON);
    await soon(() => expect(program.heard("prompt")).toHaveLength(1));
    expect((await give(team.store)).text).toMatch(said);
    await soon(() => expect(program.heard("cancelled").length).toBeGreaterThan(0));
    // The same program, or a new one where it did not end its prompt.
    await soon(() => expect(program.heard("prompt").length).toBeGreaterThan(1));
    expect(program.heard<string>("prompt").slice(1).join("\n")).toMatch(heard);
    expect(program.heard("session")).toHaveLength(ignoresCancel ? 2 : 1);
    await soon(async () => expect(await team.store.board.task(ONE)).toMatchObject(after));
    await soon(() => expect(program.heard("wrote").length).toBeGreaterThan(0));
    const mayWrite = order === "release" || order === "edit";
    expect(program.heard("wrote").includes(true)).toBe(mayWrite);
    expect(existsSync(join(team.folder, "late.txt"))).toBe(mayWrite);
  });
});
