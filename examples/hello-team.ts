/**
 * Ekiden as a library: three tasks on a board, two teammates who pull them, a lead who has the last word. The model is a script,
 * so this needs no key; leave `openModel` out and name a real one in the settings instead. `npx tsx examples/hello-team.ts`
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEFAULT_SETTINGS, name, openHost, PERSON, scripted } from "ekiden";

const model = scripted([
  { who: "lead", when: "board is quiet", text: "Everybody is greeted.", times: "any" },
  { who: "lead", text: "Noted.", times: "any" },
  { when: "<auto-claimed", calls: [{ tool: "complete_task", input: { result: "Hello!" } }], times: "any" },
  { text: "I have said hello.", times: "any" },
]);

const cwd = mkdtempSync(join(tmpdir(), "hello-team-"));
const host = await openHost({
  cwd,
  env: process.env,
  interactive: false,
  settings: {
    ...DEFAULT_SETTINGS,
    model: "scripted",
    teammates: [
      { name: name("alice"), role: "" },
      { name: name("bob"), role: "" },
    ],
  },
  openModel: async () => model,
});

const { board } = host.store;
await board.addAll(
  [
    { subject: "Greet the north" },
    { subject: "Greet the south" },
    { subject: "Tell them of each other", blockedBy: [{ nth: 0 }, { nth: 1 }] },
  ],
  PERSON,
);
await host.start({ goal: "Let the team greet everybody." });
const outcome = await host.done;

for (const task of await board.tasks())
  console.log(`#${task.id} ${task.subject}: ${task.status}${"owner" in task ? ` by ${task.owner}` : ""}`);
console.log(`${outcome.completed} tasks completed. The lead says: ${outcome.text}`);

await host.close();
rmSync(cwd, { recursive: true });
