/** A reviewer whose process is killed while it thinks: nothing is approved by that, and the next process asks a new one. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { calls, runs, says } from "../../fixtures/model-server/index.ts";
import { soon } from "../../fixtures/soon.ts";
import { SERVICES, type Service } from "../../fixtures/thinking-models.ts";
import { isLead, lastOf, StrictProgram } from "./strict-program.ts";

let program: StrictProgram;
beforeEach(() => {
  program = new StrictProgram();
});
afterEach(() => program.end());
const { Anthropic } = SERVICES as { Anthropic: Service };

const statuses = async (): Promise<string[]> => {
  const { tasks } = await program.project.json<{ tasks: { status: string }[] }>(["tasks"]);
  return tasks.map(({ status }) => status);
};

async function bySameTeam(): Promise<void> {
  const { code, stderr } = await program.run(Anthropic, ["resume"]);
  expect(code, stderr).toBe(0);
}
async function byWorker(): Promise<void> {
  const worker = program.start(Anthropic, ["worker", "--count", "1"]);
  await soon(async () => expect(await statuses()).toEqual(["completed"]));
  worker.kill();
  await worker.over;
}

it.each([
  ["the same team", bySameTeam],
  ["a worker", byWorker],
])("%s continues after kill -9 in the middle of a review", async (_, goOn) => {
  let reviews = 0;
  let hangs = true;
  await program.serve((request) => {
    if (isLead(request)) return says("I see.");
    const text = JSON.stringify(request.messages);
    const last = lastOf(request);
    if (text.includes("VERDICT: APPROVE")) {
      reviews += 1;
      return hangs ? { ...says("never"), fault: "stall" } : says("It is lit.\nVERDICT: APPROVE");
    }
    if (!text.includes("lamp.txt")) return calls("write_file", { path: "lamp.txt", content: "lit" });
    if (!text.includes("cat lamp")) return runs("cat lamp.txt");
    const isOver = last.includes('"tool":"complete_task"') && !last.includes("may or may not");
    return isOver ? says("Done.") : calls("complete_task", { result: "It is lit." });
  });
  program.project.write({ ".ekiden/settings.json": JSON.stringify({ review: "all" }) });
  await program.project.add({ subject: "Light the lamp" });
  const first = program.start(Anthropic, ["run", "See to it.", "--teammate", "alice"]);
  await soon(() => expect(reviews).toBe(1));
  first.kill();
  await first.over;
  hangs = false;
  await goOn();
  expect([await statuses(), reviews]).toEqual([["completed"], 2]);
  await program.isSound();
});
