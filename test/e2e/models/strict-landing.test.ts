/**
 * These tests check one task from its plan to the target branch, on every emulator whose thoughts are sealed: the plan is refused and sent
 * again, the work is done in a worktree, a gate and a reviewer refuse it, and then it lands. No request is refused, and no thought is lost.
 */
import { execFileSync } from "node:child_process";
import { afterEach, beforeEach, expect, it } from "vitest";
import { withMark } from "../../../src/core/project/mark.ts";
import { sampled } from "../../fixtures/fuzz.ts";
import { calls, type ModelCall, runs, type Said, says } from "../../fixtures/model-server/index.ts";
import { SERVICES } from "../../fixtures/thinking-models.ts";
import { hasThoughts, isLead, lastOf, StrictProgram } from "./strict-program.ts";

let program: StrictProgram;
beforeEach(() => {
  program = new StrictProgram();
});
afterEach(() => program.end());

const plan = (text: string): Said => calls("submit_plan", { plan: text });
const write = (content: string): Said => calls("write_file", { path: "lamp.txt", content });
const done = calls("complete_task", { result: "It is lit." });
const STEPS: readonly Said[] = [
  write("too early"), // refused: no plan is approved
  plan("1. light it"), // refused by the lead
  plan("1. look 2. light it 3. check it"),
  { calls: ["README.md", "nothing.md"].map((path) => ({ tool: "read_file", input: { path } })) },
  write("dark"),
  done, // asked what was run
  runs("cat lamp.txt"),
  done, // approved by the reviewer, refused by the gate
  write("lit"),
  runs("grep lit lamp.txt"),
  done, // refused by the reviewer
  write("lit, brightly"),
  runs("grep brightly lamp.txt"),
  done,
];
const isReviewer = ({ messages }: ModelCall): boolean =>
  JSON.stringify(messages).includes("VERDICT: APPROVE");

it.each(sampled(["Anthropic", "OpenAI Responses", "Gemini", "DeepSeek"], 4))(
  "%s: a plan, a gate and a reviewer that refuse, and a landing",
  async (name) => {
    const service = SERVICES[name];
    if (!service) throw new Error(name);
    const { dir } = program.project;
    const git = (...args: string[]): string =>
      execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.org", ...args], {
        cwd: dir,
        encoding: "utf8",
      });
    git("init", "-q", "-b", "main");
    program.project.write({
      "README.md": "A lamp.\n",
      ".ekiden/settings.json": JSON.stringify({ gate: "! grep -q dark lamp.txt" }),
    });
    git("add", ".");
    git("commit", "-qm", "first");
    const seen = { plans: 0, reviews: 0, landed: "" };
    let step = 0;
    const own: ModelCall[] = [];
    await program.serve((request) => {
      if (isReviewer(request)) {
        seen.reviews += 1;
        return says(
          seen.reviews === 2
            ? "lamp.txt:1 could be brighter.\nVERDICT: REMARKS"
            : "It is lit.\nVERDICT: APPROVE",
        );
      }
      if (isLead(request)) {
        const id = /plan_submission\\?" request=\\?"([^"\\]+)/.exec(lastOf(request))?.[1];
        if (id === undefined) return says("I see.");
        seen.plans += 1;
        const approve = seen.plans > 1;
        return calls("review_plan", { request: id, approve, ...(!approve && { feedback: "Look first." }) });
      }
      own.push(request);
      if (lastOf(request).includes("Landed on main")) seen.landed = lastOf(request);
      const next = seen.landed === "" ? STEPS[step] : undefined;
      step += 1;
      return next ?? says("Done.");
    });
    await program.add("Light the lamp", { needsPlan: true, description: withMark("", "Review", true) });
    const { code, stderr } = await program.run(service, [
      "run",
      "See to it.",
      "--teammate",
      "alice",
      "--worktrees",
    ]);
    expect(code, stderr).toBe(0);
    expect(seen).toEqual({ plans: 2, reviews: 3, landed: expect.stringContaining("Landed on main") });
    expect(git("show", "main:lamp.txt")).toBe("lit, brightly");
    await program.isSound("lead", "alice");
    hasThoughts(own.at(-1), service);
  },
);
