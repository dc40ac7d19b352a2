/** A goal typed on the start screen: its board is held, edited as a list on the whole screen, and begun; also after a kill. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { project } from "../../fixtures/project.ts";

it("holds the board of a typed goal, edits it in one list, and begins", async () => {
  const place = project();
  const tasks = Array.from({ length: 6 }, (_, nth) => ({
    tool: "create_task",
    input: { subject: `Part ${nth + 1}` },
  }));
  const steps = [
    { when: "Paint", calls: tasks },
    { when: "auto-claimed", times: "any", calls: [{ tool: "complete_task", input: { result: "done" } }] },
    { times: "any", text: "fine" },
  ];
  place.write({ "script.json": JSON.stringify({ steps }) });
  const args = ["--model", `scripted:${join(place.dir, "script.json")}`, "--teammates", "1"];
  const terminal = await place.open(args, { columns: 110, rows: 40 });
  await terminal.shows("Type what you want");
  terminal.type("Paint the house\r");
  await terminal.shows(/The board has 6 tasks, and nothing has begun/);
  await terminal.shows("edit the list: order, words, edges, checks, who (/plan)");
  terminal.type("e");
  await terminal.shows(/plan · 6 tasks.*nothing has begun · 1\/6[\s\S]*› +1 #1 Part 1/);
  terminal.type("J");
  await terminal.shows(/› +2 #1 Part 1/);
  // Another terminal edits the same list.
  expect((await place.run(["plan", "up", "6"])).code).toBe(0);
  await terminal.shows(/ 5 #6 Part 6/);
  terminal.type("c");
  await terminal.shows("check (empty: none): enter keeps it");
  terminal.type("true\r");
  await terminal.shows("check true");
  terminal.type("s");
  await terminal.shows("s again lets the team begin with this board");
  terminal.type("s");
  const { tasks: all } = JSON.parse((await place.run(["tasks", "--json"])).stdout);
  expect(all).toHaveLength(6);
  await expect
    .poll(async () => JSON.parse((await place.run(["tasks", "--json"])).stdout).counts.completed, {
      timeout: 30_000,
      interval: 500,
    })
    .toBe(6);
});
