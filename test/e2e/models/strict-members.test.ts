/**
 * These tests check one team with every strict emulator and models that think: a plan that the lead approves, a subagent, an image, a
 * background command, the check at the exit and a reviewer. No request is refused, and no thought is lost.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { sampled } from "../../fixtures/fuzz.ts";
import { calls, type ModelCall, runs, type Said, says } from "../../fixtures/model-server/index.ts";
import { SERVICES } from "../../fixtures/thinking-models.ts";
import { hasThoughts, isLead, lastOf, StrictProgram } from "./strict-program.ts";

let program: StrictProgram;
beforeEach(() => {
  program = new StrictProgram();
});
afterEach(() => program.end());

/** One pixel. */
const DOT =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const STEPS: readonly Said[] = [
  calls("submit_plan", { plan: "1. look 2. light it 3. check it" }),
  calls("task", { prompt: "How is the wall?", read_only: true }),
  calls("read_file", { path: "dot.png" }),
  calls("bash", { command: "echo behind", run_in_background: true }),
  calls("write_file", { path: "lamp.txt", content: "lit" }),
  runs("test -s lamp.txt && echo lit"),
  // asked first what was run
  calls("complete_task", { result: "It is lit." }),
  calls("complete_task", { result: "It is lit." }),
];
const isSubagent = ({ system }: ModelCall): boolean => system.startsWith('You are "alice/');
const isReviewer = ({ messages }: ModelCall): boolean =>
  JSON.stringify(messages).includes("VERDICT: APPROVE");

const services = sampled(Object.entries(SERVICES), 4, 3);
it.each(services)("%s: plan, subagent, image, job and review", async (_, service) => {
  let step = 0;
  const seen = { subagents: 0, reviews: 0 };
  const own: ModelCall[] = [];
  await program.serve((request) => {
    if (isReviewer(request)) {
      seen.reviews += 1;
      return says("It is lit.\nVERDICT: APPROVE");
    }
    if (isSubagent(request)) {
      seen.subagents += 1;
      return says("The wall is white.");
    }
    if (isLead(request)) {
      const plan = /plan_submission\\?" request=\\?"([^"\\]+)/.exec(lastOf(request))?.[1];
      return plan === undefined ? says("I see.") : calls("review_plan", { request: plan, approve: true });
    }
    own.push(request);
    const next = STEPS[step];
    step += 1;
    return next ?? says("Done.");
  });
  program.project.write({ ".ekiden/settings.json": JSON.stringify({ review: "all" }) });
  writeFileSync(join(program.project.dir, "dot.png"), Buffer.from(DOT, "base64"));
  await program.add("Light the lamp", { needsPlan: true });
  const { code, stderr } = await program.run(service, ["run", "See to it.", "--teammate", "alice"]);
  expect(code, stderr).toBe(0);
  const tasks = await (await program.project.store()).board.tasks();
  expect([tasks.map(({ status }) => status), seen]).toEqual([["completed"], { subagents: 1, reviews: 1 }]);
  await program.isSound("lead", "alice");
  hasThoughts(own.at(-1), service);
});
