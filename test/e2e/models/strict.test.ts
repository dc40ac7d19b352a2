/**
 * Every service in long work, on emulators that refuse what their providers refuse, with models that think: no request is refused,
 * no thought is lost, and no conversation changes what it said before.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sampled } from "../../fixtures/fuzz.ts";
import { calls, type ModelCall, refuses, type Said, says } from "../../fixtures/model-server/index.ts";
import { SERVICES } from "../../fixtures/thinking-models.ts";
import { hasThoughts, isSummary, lastOf, StrictProgram } from "./strict-program.ts";

let program: StrictProgram;
beforeEach(() => {
  program = new StrictProgram();
});
afterEach(() => program.end());

describe.each(sampled(Object.entries(SERVICES), 4, 1))("%s", (_, service) => {
  it("takes eight background commands and the news of their ends", async () => {
    let started = 0;
    let ended = 0;
    await program.serve((request) => {
      ended += lastOf(request).split("job_done").length - 1;
      if (started < 8) {
        started += 1;
        return calls("bash", { command: `echo part ${started}`, run_in_background: true });
      }
      return says(`${ended} parts are done.`);
    });
    const { code, stderr } = await program.run(service, ["run", "Start eight commands."]);
    expect(code, stderr).toBe(0);
    await program.isSound("lead");
    hasThoughts(program.server.requests.at(-1), service);
  });

  it("works through 60 calls with odd replies among them, and three summaries", async () => {
    let called = 0;
    let summaries = 0;
    const before: ModelCall[] = [];
    await program.serve((request) => {
      const usage = { usage: { input: Math.round(request.bytes / 4), output: 40 } };
      if (isSummary(request)) {
        summaries += 1;
        return says(`Goal: make files.\nDone: ${called} calls.`, usage);
      }
      before.push(request);
      called += 1;
      if (called > CALLS) return says("All files are there.", usage);
      return { ...oddReply(called, request), ...usage };
    });
    program.project.write({
      ".ekiden/settings.json": JSON.stringify({ contextTokens: 9_000, trimTokens: 6_000 }),
    });
    writeFileSync(join(program.project.dir, "dot.png"), Buffer.from(DOT, "base64"));
    writeFileSync(join(program.project.dir, "dot.gif"), Buffer.from(GIF_DOT, "base64"));
    const { code, stderr } = await program.run(service, ["run", "Make many files."]);
    expect([code, called], stderr).toEqual([0, CALLS + 1]);
    await program.isSound("lead");
    expect(summaries).toBeGreaterThanOrEqual(3);
    hasThoughts(before.at(-1), service);
  }, 240_000);
});

/** One pixel. */
const DOT =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const GIF_DOT = "R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==";
const CALLS = 60;
const made = (n: number): Said =>
  calls("write_file", { path: `made/f${n}.txt`, content: `File ${n}. ${"More of it. ".repeat(100)}` });

/** Odd replies that models give now and then, in the middle of plain work. */
function oddReply(n: number, { protocol }: ModelCall): Said {
  switch (n % 15) {
    case 2:
      return {
        calls: [0, 1, 2].map((i) => ({ tool: "read_file", input: { path: `made/f${n - i - 1}.txt` } })),
      };
    case 3:
      return { ...made(n), text: " \n", ...(n % 2 && { afterthought: "Now." }) };
    case 4:
      return { ...made(n), text: `I make file ${n}.`, ...(n % 2 && { afterthought: "Now." }) };
    case 5:
      return calls("frobnicate the.file", { n });
    case 6:
      return { calls: [{ tool: "write_file", raw: '{"path": ' }] };
    case 7:
      return {
        calls: [
          {
            tool: "write_file",
            input: { path: `made/f${n}.txt`, content: "x".repeat(600) },
            id: "call_same",
          },
        ],
      };
    case 8:
      return calls("read_file", { path: `nowhere/f${n}.txt` });
    case 9:
      return { calls: [{ tool: "list_tasks", raw: "" }] };
    case 10:
      return { thinking: "Hm.", text: "" };
    case 11:
      return { ...made(n), stop: "length" };
    case 12:
      return {
        calls: [
          { tool: "edit_file", input: { path: "made/a", old: "\ud800", new: "" } },
          { tool: "glob", input: { pattern: `f${n}*` } },
        ],
      };
    case 13:
      return { text: `Half a sentence ${n}`, stop: "length", ...(n % 2 && { afterthought: "And" }) };
    case 14:
      return { calls: [{ tool: "write_file", raw: `{"path": "made/f${n}.txt", "con` }], stop: "length" };
    case 0:
      // Ollama has no filter
      return n % 30 && protocol !== "ollama" ? refuses(`Half an answer ${n}`) : { text: "", thinking: "" };
    case 1:
      return {
        calls: ["dot.png", "made/a", "dot.gif"].map((path) => ({ tool: "read_file", input: { path } })),
      };
    default:
      return made(n);
  }
}
