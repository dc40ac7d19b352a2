import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { identity } from "../../core/conversation/prompt.ts";
import type { ModelRequest } from "../../ports/model.ts";
import { type Step, scripted, scriptedFile } from "./scripted.ts";

const asks = (who: string, text: string): ModelRequest => ({
  system: "",
  messages: [
    {
      role: "user",
      content: [
        { type: "text", text: identity(`You are "${who}", a teammate in team "t".`) },
        { type: "text", text },
      ],
    },
  ],
  openingParts: 1,
  tools: [],
});
const options = { signal: new AbortController().signal };

it("answers in order and refuses the call too many, naming it", async () => {
  const model = scripted([{ text: "one" }, { calls: [{ tool: "bash", input: { command: "ls" } }] }]);
  expect((await model.reply(asks("a", "x"), options)).message.content).toEqual([
    { type: "text", text: "one" },
  ]);
  expect(await model.reply(asks("a", "x"), options)).toMatchObject({
    stop: "calls",
    message: { content: [{ type: "call", tool: "bash", input: { command: "ls" } }] },
  });
  model.finish();
  await expect(model.reply(asks("alice", "where am I?"), options)).rejects.toThrow(
    /call 3 by alice was not expected.*used up.*where am I\?/,
  );
});

it("chooses by member and by what was heard, and tells what is left", async () => {
  const steps: Step[] = [
    { who: "alice", when: "claimed", text: "for alice" },
    { who: "bob", text: "for bob" },
    { when: "late", text: "later" },
    { text: "anybody", times: "any" },
  ];
  const model = scripted(steps);
  const say = async (who: string, text: string) =>
    (await model.reply(asks(who, text), options)).message.content.map((part) => "text" in part && part.text);
  expect(await say("bob", "x")).toEqual(["for bob"]);
  expect(await say("bob", "x")).toEqual(["anybody"]);
  expect(await say("alice", "you claimed it")).toEqual(["for alice"]);
  expect(await say("alice", "you claimed it")).toEqual(["anybody"]);
  expect(model.left()).toEqual(['step 3: "late": later']);
  expect(() => model.finish()).toThrow(/1 steps were never taken: step 3/);
});

it("computes, fails and stops as it is told", async () => {
  const model = scripted([
    (request) => ({ text: `heard ${request.messages.length}` }),
    { fail: { code: "model_overloaded", retryAfterMs: 5 } },
    { text: "cut", stop: "length", usage: { inputTokens: 7 } },
  ]);
  const deltas: string[] = [];
  await model.reply(asks("a", "x"), { ...options, onDelta: (d) => deltas.push(d.text) });
  expect(deltas).toEqual(["heard 1"]);
  await expect(model.reply(asks("a", "x"), options)).rejects.toMatchObject({
    code: "model_overloaded",
    details: { retryAfterMs: 5 },
  });
  expect(await model.reply(asks("a", "x"), options)).toMatchObject({
    stop: "length",
    usage: { inputTokens: 7, outputTokens: 0 },
  });
  await expect(model.reply(asks("a", "x"), { signal: AbortSignal.abort(new Error("stop")) })).rejects.toThrow(
    "stop",
  );
});

it("reads a file, and says what is wrong with one", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ekiden-script-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "script.json");
  await writeFile(file, JSON.stringify({ steps: [{ text: "hi", times: 2 }] }));
  const model = await scriptedFile(file);
  await model.reply(asks("a", "x"), options);
  expect(model.left()).toEqual(["step 1: hi"]);
  await expect(scriptedFile(join(folder, "none.json"))).rejects.toMatchObject({ code: "model_missing" });
  await writeFile(file, "{");
  await expect(scriptedFile(file)).rejects.toThrow("is not JSON");
  await writeFile(file, `[{ "txt": "hi" }]`);
  await expect(scriptedFile(file)).rejects.toThrow("txt");
});
