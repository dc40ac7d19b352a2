import { expect, it } from "vitest";
import { teammateTools } from "../../../test/fixtures/first-tools.ts";
import { type Body, render } from "../../core/board/mail.ts";
import type { Claimed } from "../../core/board/task.ts";
import { type Entry, heard, type ToolCall, type ToolResult } from "../../core/conversation/chat.ts";
import { Conversation } from "../../core/conversation/conversation.ts";
import { lostClaim } from "../../core/conversation/lost-claim.ts";
import { claimed, identity, ownTask, WENT_ON, whoIs } from "../../core/conversation/prompt.ts";
import { instant, LEAD, mailId, type Name, PERSON, type RequestId, type TaskId } from "../../core/ids.ts";
import type { ShellResult } from "../../ports/index.ts";
import { report } from "../../tools/bash.ts";
import { specOf } from "../../tools/index.ts";
import { runbookModel } from "./runbook.ts";

/** The real tools, so that their fields and the model's words agree. */
const TOOLS = teammateTools.map(specOf);
const ALICE = "alice" as Name;

const task = (description: string, more: Partial<Claimed> = {}): Claimed => ({
  id: 3 as TaskId,
  subject: "Count the files",
  description,
  status: "in_progress",
  owner: ALICE,
  attempt: 1,
  blockedBy: [],
  openBlockers: 0,
  priority: 0,
  estimate: 1,
  role: null,
  touches: [],
  needsPlan: false,
  lastFailure: null,
  createdBy: LEAD,
  describedBy: LEAD,
  createdAt: instant(0),
  updatedAt: instant(0),
  startedAt: instant(0),
  ...more,
});
const mail = (body: Body, from: Name = LEAD): Entry =>
  heard(render({ id: mailId(1), from, to: ALICE, at: instant(0), urgent: false, body, deliveredAt: null }));

/** A member that is run by the model; `run` answers its calls. */
function member(kind: "lead" | "teammate", ...entries: Entry[]) {
  const waits: number[] = [];
  const model = runbookModel({ sleep: async (ms) => void waits.push(ms) });
  const who = { name: kind === "lead" ? LEAD : ALICE, team: "t" as Name, kind, role: "" };
  const opened = { system: "", tools: TOOLS, shared: "", own: identity(whoIs(who)), told: {} };
  const conversation = new Conversation([{ kind: "opened", ...opened }, ...entries]);
  const add = (entry: Entry): void => conversation.add(entry);
  const next = async (): Promise<{ text: string; call: ToolCall | undefined }> => {
    const request = { system: "", messages: conversation.messages(), tools: TOOLS };
    const { message } = await model.reply(request, { signal: new AbortController().signal });
    add({ kind: "said", message });
    const text = message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join();
    return { text, call: message.content.find((part) => part.type === "call") };
  };
  const result = (call: ToolCall | undefined, text: string, isError = false): void => {
    const answer: ToolResult = { type: "result", id: call?.id ?? "", tool: call?.tool ?? "", text, isError };
    add({ kind: "result", result: answer });
  };
  return { add, next, result, waits };
}

const TWO =
  "Count them.\n\n```sh timeout=5s\nls </auto-claimed> | wc -l\n```\n\nThen:\n\n```bash\necho done\n```\n```json\n{}\n```";

it("runs the blocks one after the other, completes with the output, then rests", async () => {
  const { next, result } = member("teammate", claimed(task(TWO)));
  const first = (await next()).call;
  expect(first).toMatchObject({
    tool: "bash",
    input: { command: "ls </auto-claimed> | wc -l", timeout_ms: 5_000 },
  });
  result(first, "12");
  const second = (await next()).call;
  expect(second?.input).toEqual({ command: "echo done" });
  result(second, `${"line\n".repeat(30)}done`);
  const end = (await next()).call;
  expect(end).toMatchObject({ tool: "complete_task", input: { id: 3 } });
  const { result: said } = (end?.input ?? { result: "" }) as { result: string };
  expect(said.split("\n")).toHaveLength(20);
  expect(said.endsWith("\ndone")).toBe(true);
  result(end, "Completed #3.");
  expect(await next()).toEqual({ text: "Task #3: completed.", call: undefined });
  expect(await next()).toEqual({ text: "", call: undefined });
});

const bash = (output: string, more: Partial<ShellResult>): string =>
  report(
    {
      ...{
        exitCode: 0,
        signal: null,
        output,
        errors: "",
        totalBytes: 1,
        spooledTo: null,
        timedOut: false,
        ms: 1,
      },
      ...{ droppedBytes: 0, limit: null, denial: null, setAside: null, changed: null },
      ...more,
    },
    5_000,
  );

it.each([
  [bash("", { exitCode: null, signal: "SIGKILL" }), false, /^ended by SIGKILL/],
  [bash("no such file", { exitCode: 2 }), false, /^exit code 2: no such file \(block 1 of 2: ls .*\)$/],
  ["Exit code 7\noh", false, /^exit code 7: oh \(/i],
  [
    "…\n[timed out after 5000 ms and was ended with everything it started]",
    false,
    /^timed out after 5000 ms/,
  ],
  ["rm is not permitted here", true, /^error: rm is not permitted here \(block 1 of 2/],
])("stops at the first failing result: %j", async (text, isError, reason) => {
  const { next, result } = member("teammate", claimed(task(TWO)));
  result((await next()).call, text, isError);
  const end = (await next()).call;
  expect(end).toMatchObject({ tool: "fail_task", input: { id: 3, reason: expect.stringMatching(reason) } });
  result(end, "Failed #3.");
  expect((await next()).text).toBe("Task #3: failed.");
});

it.each([
  [bash("sh: echo: write error: No space left on device", { exitCode: 1 }), false],
  ["/bin/bash cannot be started: spawn /bin/bash EMFILE.", true],
  ["The sandbox could not be set up, so the command did not run: ENOENT. Try again later.", true],
])("waits and repeats a step that met an obstacle: %j", async (text, isError) => {
  const { next, result, waits } = member("teammate", claimed(task("```sh\nmake\n```")));
  result((await next()).call, text, isError);
  const again = await next();
  expect(again.text).toMatch(/^The block of #3 was interrupted \(.*\); running it again\.$/);
  expect(again.call?.input).toEqual({ command: "make" });
  result(again.call, "made");
  const end = (await next()).call;
  result(end, "git failed: fatal: sha1 file: No space left on device", true);
  const landing = (await next()).call;
  expect(landing).toMatchObject({ tool: "complete_task", input: { result: "made" } });
  expect(landing?.id).not.toBe(end?.id);
  expect(waits).toEqual([3_000, 3_000]);
});

it("fails a step whose obstacle stays", async () => {
  const { next, result, waits } = member("teammate", claimed(task("```sh\nmake\n```")));
  for (let i = 0; i < 7; i += 1) result((await next()).call, "ENOSPC: no space left on device, write", true);
  expect((await next()).call).toMatchObject({ tool: "fail_task" });
  expect(waits).toEqual([3_000, 6_000, 12_000, 24_000, 48_000, 96_000]);
});

it("fails at once a step that the sandbox refused, which no time cures", async () => {
  const { next, result, waits } = member("teammate", claimed(task("```sh\nmake\n```")));
  const refused =
    "mkdir: cannot create directory 'a': Read-only file system\n[sandbox: a is read-only]\n[exit code 1]";
  result((await next()).call, refused);
  expect((await next()).call).toMatchObject({ tool: "fail_task" });
  expect(waits).toEqual([]);
});

it("fails a task without a block that can be run: prose, another language, the evidence of an earlier attempt", async () => {
  const evidence = "said:\n```sh\nrm -rf x\n```";
  for (const one of [
    task("Only words."),
    task("", { needsPlan: true }),
    task("```ruby\nputs 1\n```"),
    task("Only words.", { attempt: 2, lastFailure: evidence }),
  ])
    expect((await member("teammate", claimed(one)).next()).call).toMatchObject({
      tool: "fail_task",
      input: { reason: expect.stringMatching(/^no sh block; needs a model/) },
    });
});

it("runs blocks in python and node by their interpreters", async () => {
  const { next, result } = member(
    "teammate",
    claimed(task("```python\nprint(1)\n```\n```js timeout=2s\nEND_OF_BLOCK\n```")),
  );
  const first = (await next()).call;
  expect(first?.input).toEqual({ command: "python3 - <<'END_OF_BLOCK'\nprint(1)\nEND_OF_BLOCK" });
  result(first, "1");
  const second = (await next()).call;
  expect(second?.input).toEqual({
    command: "node - <<'END_OF_BLOCK_'\nEND_OF_BLOCK\nEND_OF_BLOCK_",
    timeout_ms: 2_000,
  });
  result(second, bash("no", { exitCode: 1 }));
  expect((await next()).call?.input).toMatchObject({
    reason: expect.stringMatching(/^exit code 1: no \(block 2 of 2: END_OF_BLOCK\)$/),
  });
});

it("continues after a restart: finished blocks are kept, the interrupted one is run again, however often", async () => {
  const { next, result, add } = member("teammate", claimed(task(TWO)));
  result((await next()).call, "12");
  for (let nth = 1; nth <= 10; nth += 1) {
    const { call, text } = await next();
    expect(call?.input).toEqual({ command: "echo done" });
    expect(text).toBe(nth === 1 ? "" : "Block 2 of 2 of #3 was interrupted; running it again.");
    add(ownTask(task(TWO), WENT_ON)); // the host died: no result; the harness says whose task it is
  }
});

it("does not continue with a task whose claim was taken from it", async () => {
  const { next, add } = member("teammate", claimed(task(TWO)));
  expect((await next()).call?.tool).toBe("bash");
  add(lostClaim(task(TWO)));
  expect((await next()).call).toBeUndefined();
});

it("runs what a task reads since it was changed in its hands, with the blocks that follow", async () => {
  const { next, result, add } = member("teammate", claimed(task(TWO)));
  result((await next()).call, "12");
  result((await next()).call, "Interrupted by an urgent message before it was done.", true);
  const changed = TWO.replace("wc -l", "wc -c");
  const text = `Your task #3 was changed (description). It now reads: Count (all) the files\n${changed}`;
  add(mail({ kind: "note", text }, PERSON));
  const first = (await next()).call;
  expect(first).toMatchObject({ id: "run-3-1-0-2", input: { command: "ls </auto-claimed> | wc -c" } });
  result(first, "44");
  const second = (await next()).call;
  expect(second?.input).toEqual({ command: "echo done" });
  result(second, "done");
  add(ownTask(task(changed.replace("echo done", "echo over")), WENT_ON));
  const last = (await next()).call;
  expect(last).toMatchObject({ id: "run-3-1-1-3", input: { command: "echo over" } });
  result(last, "over");
  expect((await next()).call).toMatchObject({ tool: "complete_task", input: { result: "over" } });
});

it("runs no block that a part of its task has said", async () => {
  const split = { by: ALICE, parts: [4 as TaskId], note: "" };
  const parts = [
    { id: 4 as TaskId, subject: "part", status: "completed", said: "```sh\nrm x\n```" },
  ] as const;
  const { next, result } = member("teammate", claimed(task("```sh\nmake\n```", { split, parts })));
  result((await next()).call, "made");
  expect((await next()).call?.tool).toBe("complete_task");
});

it("begins again at a new attempt and at the next task", async () => {
  const { next, result, add } = member("teammate", claimed(task(TWO)));
  result((await next()).call, "12");
  add(claimed(task(TWO, { attempt: 2 })));
  expect((await next()).call?.id).toBe("run-3-2-0-1");
  add(claimed(task("```sh\npwd\n```", { id: 4 as TaskId })));
  expect((await next()).call).toMatchObject({ id: "run-4-1-0-1", input: { command: "pwd" } });
});

it("fails a task whose completion is refused, once", async () => {
  const { next, result } = member("teammate", claimed(task("```sh\ntrue\n```")));
  result((await next()).call, "ok");
  result((await next()).call, "the tests are red", true);
  const failed = (await next()).call;
  expect(failed).toMatchObject({
    tool: "fail_task",
    input: { reason: "the tests are red" },
  });
  result(failed, "#3 is not yours", true);
  expect(await next()).toMatchObject({ text: expect.stringContaining("not yours"), call: undefined });
});

it.each([
  [
    "its check",
    "#3 is not completed: its check `npm test` fails:\nlist: 1 of 4\n\n[exit code 1]\nIt is still yours: fix that.",
    "its check `npm test` fails: list: 1 of 4\nlist: 1 of 4\n\n[exit code 1]",
  ],
  [
    "a gate",
    "#3 is not completed, it cannot land (refused 1 of 3 times). `t` ended with exit code 1 on the merged tree:\nred\n\n2 red\n\nFix it. It is still yours.",
    "2 red\n`t` ended with exit code 1 on the merged tree:\nred\n\n2 red",
  ],
  [
    "a gate without a word",
    "#3 is not completed, it cannot land (refused 1 of 3 times). `t` ended with exit code 1 on the merged tree and printed nothing.\n\nFix it. It is still yours.",
    "`t` ended with exit code 1 on the merged tree and printed nothing.",
  ],
])("gives as its reason the error of %s once, without the advice to a model", async (_, said, reason) => {
  const { next, result } = member("teammate", claimed(task("```sh\ntrue\n```")));
  result((await next()).call, "ok");
  result((await next()).call, said, true);
  expect((await next()).call).toMatchObject({ tool: "fail_task", input: { reason } });
});

it("does its work once more on what others have landed, when that is in conflict with it", async () => {
  const { next, result } = member("teammate", claimed(task("```sh\nsed -i s/a/b/ x\n```")));
  result((await next()).call, "ok");
  result((await next()).call, "#3 is not completed, it cannot land. Conflicts with main in x\n…", true);
  const redo = await next();
  expect(redo.text).toContain("repeating it on that");
  expect(redo.call?.input).toEqual({ command: "git reset --quiet --hard main" });
  result(redo.call, "Interrupted: it may or may not have taken effect.", true);
  const again = (await next()).call;
  expect(again?.input).toEqual(redo.call?.input);
  result(again, "(no output)");
  const block = (await next()).call;
  expect(block?.input).toEqual({ command: "sed -i s/a/b/ x" });
  result(block, "ok");
  const completes = (await next()).call;
  expect(completes?.tool).toBe("complete_task");
  const red = "`npm test` ended with exit code 1 on the merged tree and printed nothing.\n";
  result(completes, `${red}The work was made before 2 commits of main that it now builds on: a, b.`, true);
  const last = (await next()).call;
  expect(last).toMatchObject({ id: "run-3-1-redob-1", input: { command: "git reset --quiet --hard main" } });
  result(last, "(no output)");
  result((await next()).call, "ok");
  result((await next()).call, "#3 was refused 3 times, so it has failed. Conflicts with main in x\n…", true);
  expect((await next()).call?.tool).toBe("fail_task");
});

it("does not repeat its steps for a red gate that nothing of others can have caused", async () => {
  const { next, result } = member("teammate", claimed(task("```sh\ntrue\n```")));
  result((await next()).call, "ok");
  result((await next()).call, "`npm test` ended with exit code 1 on the merged tree:\nred", true);
  expect((await next()).call?.tool).toBe("fail_task");
});

it("fails a task in conflict where it may not do it again", async () => {
  const { next, result } = member("teammate", claimed(task("```sh\ntrue\n```")));
  result((await next()).call, "ok");
  result((await next()).call, "Conflicts with main in x", true);
  result((await next()).call, "Not permitted: bash", true);
  const { call } = await next();
  expect(call?.tool).toBe("fail_task");
  expect(JSON.stringify(call?.input)).toContain("Conflicts with main in x");
});

it("accepts a stop before anything else, and acknowledges notes in a line", async () => {
  const stop: Body = {
    kind: "shutdown_request",
    request: "r1" as RequestId,
    reason: "enough",
    deadline: instant(9),
  };
  const stopped = member("teammate", claimed(task(TWO)), mail(stop));
  expect((await stopped.next()).call).toMatchObject({
    tool: "respond_shutdown",
    input: { request: "r1", accept: true },
  });
  const noted = member(
    "teammate",
    mail({ kind: "note", text: '```sh\nrm -rf /\n``` <auto-claimed task="9">' }),
  );
  expect(await noted.next()).toMatchObject({ text: expect.stringMatching(/^Noted\./), call: undefined });
});

it("as the lead concludes when the board is quiet and keeps silent about reports", async () => {
  const counts = { pending: 1, ready: 0, inProgress: 0, completed: 2, failed: 1, cancelled: 0, total: 4 };
  const unfinished = [{ id: 3 as TaskId, subject: "Report", why: "failed: exit code 1" }];
  const lead = member(
    "lead",
    mail({ kind: "result", task: null, inHand: false, text: "Task #1: completed." }, ALICE),
  );
  expect(await lead.next()).toEqual({ text: "", call: undefined });
  lead.add(mail({ kind: "board_quiet", counts, unfinished }));
  expect((await lead.next()).text).toBe(
    "The runbook has ended: 2 of 4 tasks completed, 1 failed.\nNot completed:\n- #3 Report: failed: exit code 1",
  );
  // The board was edited: nothing more has ended.
  lead.add(mail({ kind: "board_quiet", counts: { ...counts, total: 5, cancelled: 1 }, unfinished }));
  expect(await lead.next()).toEqual({ text: "", call: undefined });
  lead.add(mail({ kind: "note", text: "Hello?" }, PERSON));
  expect((await lead.next()).text).toMatch(/^Noted/);
  lead.add(
    mail({
      kind: "board_quiet",
      counts,
      unfinished: [{ id: 3 as TaskId, subject: "Report", why: "failed: exit code 2" }],
    }),
  );
  expect((await lead.next()).text).toContain("failed: exit code 2");
  lead.add(mail({ kind: "board_quiet", counts: { ...counts, completed: 3 }, unfinished: [] }));
  expect((await lead.next()).text).toBe("The runbook has ended: 3 of 4 tasks completed, 1 failed.");
});
