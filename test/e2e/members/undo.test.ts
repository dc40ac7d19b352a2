/** The person undoes what a member at work has changed, and cuts its conversation there: its next request continues after the undone call. */
import { existsSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { name, PERSON } from "../../../src/core/ids.ts";
import { changesIn, undo } from "../../../src/team/actions/undo/undo.ts";
import { programTeam, resultsIn } from "../../fixtures/program-team.ts";
import { repository } from "../../fixtures/repository.ts";
import { soon } from "../../fixtures/soon.ts";

const call = (tool: string, input: Record<string, unknown> = {}) => ({ calls: [{ tool, input }] });

it("a member at work continues after the call that was undone", async () => {
  const team = await programTeam({
    settings: { permissionMode: "bypass" },
    says: {
      lead: [{ times: "any", text: "fine" }],
      alice: [
        call("write_file", { path: "kept.txt", content: "kept\n" }),
        call("write_file", { path: "undone.txt", content: "undone\n" }),
        call("bash", { command: "until [ -e go ]; do sleep 0.05; done; echo seen-later" }),
        call("bash", { command: "echo last" }),
        call("complete_task", { result: "ok" }),
        { times: "any", text: "fine" },
      ],
    },
  });
  await team.store.board.add({ subject: "List" }, PERSON);
  await team.host.start({ goal: "Go" });
  await team.until("turn.taken", { who: name("alice") });
  // Its third call runs: the cut waits for the end of that turn.
  await soon(async () => {
    const known = (await changesIn(team.store, team.folder)).length;
    expect([known, team.requests("alice").length]).toEqual([2, 3]);
  });
  const undoing = undo(team.store, team.folder, PERSON, { what: "alice", conversation: true });
  await team.until("order.given", { by: PERSON });
  await writeFile(join(team.folder, "go"), "");
  const { data, text } = await undoing;
  expect([text, data.conversations.length]).toEqual([expect.stringContaining("continues after"), 1]);
  expect([existsSync(join(team.folder, "kept.txt")), existsSync(join(team.folder, "undone.txt"))]).toEqual([
    true,
    false,
  ]);
  await team.until("task.completed", { by: name("alice") });
  const after = team.requests("alice").find((one) => resultsIn(one).at(-1)?.includes("Undone by"));
  expect(resultsIn(after)).toEqual([
    expect.stringContaining("kept.txt"),
    expect.stringContaining("write_file: Undone by the person"),
  ]);
  expect(JSON.stringify(after?.messages)).toMatch(/has cut this conversation.*List/s);
});

it("what no call is known to have changed is recorded right before a landing", async () => {
  const repo = repository({ "a.txt": "a\n" });
  const team = await programTeam({
    folder: repo.dir,
    settings: { permissionMode: "bypass", worktrees: true },
    // While its last reply comes in.
    price: (_, __, { message }) => {
      if (JSON.stringify(message).includes("complete_task"))
        writeFileSync(join(repo.dir, ".ekiden/worktrees/1-list/late.txt"), "late\n");
      return 0;
    },
    says: {
      lead: [{ times: "any", text: "fine" }],
      alice: [
        call("write_file", { path: "b.txt", content: "b\n" }),
        call("complete_task", { result: "ok" }),
        { times: "any", text: "fine" },
      ],
    },
  });
  await team.store.board.add({ subject: "List" }, PERSON);
  await team.host.start({ goal: "Go" });
  await team.until("task.landed", { by: name("alice") });
  await soon(async () =>
    expect((await changesIn(team.store, team.folder)).map(({ what, task }) => [what, task])).toEqual([
      [expect.stringMatching(/^complete_task/), 1],
      ["write_file: b.txt", 1],
    ]),
  );
  expect(repo.git("show", "--name-only", "--format=", "HEAD").split("\n").sort()).toEqual([
    "b.txt",
    "late.txt",
  ]);
});
