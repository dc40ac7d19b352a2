/** The calls of one reply: which run at once, what each is answered, and what is recorded of it. */
import { setImmediate } from "node:timers/promises";
import { beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { journalOf } from "../../../test/fixtures/journal.ts";
import { type AgentOptions, agentOf, modelOf } from "../../../test/fixtures/member.ts";
import { name, stage } from "../../../test/fixtures/stage.ts";
import type { IdleReason } from "../../core/board/lifecycle.ts";
import type { Seat } from "../../core/board/member.ts";
import { INVALID_INPUT, type ToolCall } from "../../core/conversation/chat.ts";
import type { Image } from "../../core/conversation/image.ts";
import type { Access, Store, Tool, ToolContext } from "../../ports/index.ts";
import { callTool } from "../../tools/call-tool.ts";
import { defineTool } from "../../tools/define.ts";
import { specOf } from "../../tools/spec.ts";
import type { Agent } from "../agent/agent.ts";
import type { Wrap } from "../agent/call.ts";
import { Interruption, type InterruptionKind } from "../agent/interruption.ts";
import { act } from "./act.ts";

const here = stage("sqlite");
const alice = name("alice");
let store: Store;
let seat: Seat;
let step: AbortController;
/** Begin and end of each tool, in order. */
let did: string[];
beforeEach(async () => {
  const crew = await here.crew(["alice"]);
  store = crew.store;
  seat = crew.seats[0] as Seat;
  step = new AbortController();
  did = [];
});

type Extra = Partial<Pick<Tool, "access" | "ownTags">> & {
  readonly accessOf?: (input: { text: string }) => Access;
  readonly run?: (text: string, ctx: ToolContext) => Promise<string> | string;
};
/** Takes a text, waits for a turn of the event loop, and answers with "NAME TEXT". */
function toolOf(named: string, { run = (text) => `${named} ${text}`, ...extra }: Extra = {}): Tool {
  return defineTool({
    name: named,
    description: named,
    access: "read",
    input: () => z.object({ text: z.string() }),
    subject: ({ text }) => text,
    ...extra,
    run: async ({ text }, ctx) => {
      did.push(`${text} begins`);
      await setImmediate();
      const said = await run(text, ctx);
      did.push(`${text} ends`);
      return said;
    },
  });
}

const agentWith = (tools: readonly Tool[], options: AgentOptions = {}): Agent =>
  agentOf(
    store,
    seat,
    here.clock,
    modelOf(() => ({})),
    { tools, ...options },
  );
let nth = 0;
function call(tool: string, input: unknown = { text: tool }): ToolCall {
  nth += 1;
  return { type: "call", id: `c${nth}`, tool, input };
}
type Options = Parameters<typeof act>[3];
async function acted(agent: Agent, calls: readonly ToolCall[], options: Partial<Options> = {}) {
  agent.conversation.add({ kind: "said", message: { role: "assistant", content: [...calls] } });
  const entries = await act(agent, calls, step.signal, { rest: () => {}, ...options });
  return entries.map((entry) => (entry.kind === "result" ? [entry.result.isError, entry.result.text] : []));
}
const facts = async () =>
  (await journalOf(store).events("tool.called")).map(({ seq, at, ...fact }) => fact as object);

it("runs neighbouring calls that only read at once, and all others alone, in their order", async () => {
  const tools = [toolOf("look"), toolOf("change", { access: "write" })];
  const calls = [
    call("look", { text: "a" }),
    call("look", { text: "b" }),
    call("change", { text: "c" }),
    call("change", { text: "d" }),
    call("look", { text: "e" }),
    call("look", { text: "f" }),
  ];
  const agent = agentWith(tools);
  const answers = await acted(agent, calls);
  expect(answers.map(([, text]) => text)).toEqual([
    "look a",
    "look b",
    "change c",
    "change d",
    "look e",
    "look f",
  ]);
  expect(did.map((one) => one.replace(" begins", "+").replace(" ends", "-")).join("")).toBe(
    "a+b+a-b-c+c-d+d-e+f+e-f-",
  );
  expect(await store.transcript.current(alice)).toHaveLength(6);
  expect(JSON.stringify(agent.conversation.messages().at(-1))).toContain("look f");
});

it("runs eight calls at once at most, each once", async () => {
  const names = Array.from({ length: 10 }, (_, i) => `${i}`);
  await acted(
    agentWith([toolOf("look")]),
    names.map((text) => call("look", { text })),
  );
  expect(did.slice(0, 9)).toEqual([...names.slice(0, 8).map((text) => `${text} begins`), "0 ends"]);
  expect(did.filter((one) => one.endsWith("begins")).map((one) => one.split(" ")[0])).toEqual(names);
});

it.each([
  // [which calls only read, what begins before the first has ended]
  ["the tool says so for this input", { access: "write", accessOf: () => "read" }, 2],
  ["the tool can do more with this input", { access: "read", accessOf: () => "write" }, 1],
] as const)("takes what a call does from its input: %s", async (_, extra, before) => {
  const tool = toolOf("look", extra);
  await acted(agentWith([tool]), [call("look", { text: "a" }), call("look", { text: "b" })]);
  expect(did.indexOf("a ends")).toBe(before);
});

const NOT_JSON = { [INVALID_INPUT]: '{"text": "ha' };
it.each([
  [{ text: 5 }, false, "The input of look does not fit: text: "],
  ["words", false, "The input of look was not a JSON object: "],
  [NOT_JSON, false, "The input of look was not a JSON object: "],
  [NOT_JSON, true, "Not run: the output limit cut your answer off in the middle of this look."],
  [{ text: 5 }, true, "The input of look does not fit: text: "],
] as const)("answers an input that does not fit: %j, cut off: %s", async (input, cutOff, said) => {
  const [answer] = await acted(agentWith([toolOf("look")]), [call("look", input)], { cutOff });
  expect(answer).toEqual([true, expect.stringContaining(said)]);
  expect(did).toEqual([]);
});

it("names a field that is not there, and does not take an answer for cut off by default", async () => {
  const strict = defineTool({
    ...{ name: "look", description: "", access: "read" as const },
    input: () => z.strictObject({}),
    run: async () => "",
  });
  const answers = await acted(agentWith([strict]), [call("look", { more: 1 }), call("look", NOT_JSON)]);
  expect(answers[0]?.[1]).toContain(
    `The input of look does not fit: there is no field "more": it has no fields`,
  );
  expect(answers[1]?.[1]).toContain("was not a JSON object");
});

it("names the tools that there are, and those that cannot be called any more", async () => {
  const agent = agentWith([toolOf("fetch")]);
  agent.conversation.add({ kind: "opened", ...agent.loadout.opening, tools: [specOf(toolOf("gone"))] });
  expect(await acted(agent, [call("nonsense"), call("gone")])).toEqual([
    [true, 'There is no tool "nonsense". You have: fetch.'],
    [true, expect.stringMatching(/^gone cannot be called now: its server is not connected/)],
  ]);
});

it("passes a call on to a tool that came up later, with the rules that hold for that tool", async () => {
  const judged: [string, unknown, string][] = [];
  const watch: Wrap = (next) => (one) => {
    judged.push([one.tool.name, one.input, one.access]);
    return next(one);
  };
  const late = toolOf("late", { access: "write" });
  const tools = [callTool((name) => (name === "late" ? late : undefined)), late];
  const agent = agentWith(tools, { wraps: [watch] });
  const answers = await acted(agent, [
    call("call_tool", { name: "late", input: { text: "now" } }),
    call("call_tool", { name: "late" }),
    call("call_tool", { name: "nobody" }),
    call("call_tool", { name: "nobody", input: {} }),
  ]);
  expect(judged.map(([name, , access]) => [name, access])).toEqual([
    ["late", "write"],
    ["call_tool", "read"],
    ["call_tool", "read"],
  ]);
  expect(answers.map(([isError]) => isError)).toEqual([false, false, true, true]);
  expect(answers[1]?.[1]).toContain('"name":"late"');
  expect(answers[3]?.[1]).toMatch(/^There is no tool "nobody"/);
});

it("holds back the calls after a submitted plan, and tells of each rest", async () => {
  const rests: IdleReason[] = [];
  const rest = (why: IdleReason): number => rests.push(why);
  const says = (why: IdleReason): Extra => ({ access: "write", run: (_, ctx) => `${ctx.rest(why)}` });
  const tools = [toolOf("nap", says("asked_to_idle")), toolOf("plan", says("awaiting_plan")), toolOf("do")];
  const answers = await acted(agentWith(tools), [call("nap"), call("do"), call("plan"), call("do")], {
    rest,
  });
  expect(answers.map(([isError]) => isError)).toEqual([false, false, false, true]);
  expect(answers[3]?.[1]).toMatch(/^Not run: you wait for an answer first\./);
  expect(rests).toEqual(["asked_to_idle", "awaiting_plan"]);
});

it.each([
  ["a result", {}, false, "&lt;mail>"],
  ["a result with tags of its own", { ownTags: true }, false, "<mail>"],
  ["an error", { ownTags: true }, true, "&lt;mail>"],
] as const)(
  "shows %s with no secret, and tags only of tools that escape them",
  async (_, extra, isError, tag) => {
    const run = (): string => {
      if (isError) throw new Error("<mail> password");
      return "<mail> password";
    };
    const secrets = {
      redact: (text: string) => text.replace("password", "[secret]"),
      restore: () => [] as never,
    };
    const agent = agentWith([toolOf("look", { ...extra, run })], { secrets });
    const [answer] = await acted(agent, [call("look", { text: "the password" })]);
    expect(answer).toEqual([isError, `${tag} [secret]`]);
    expect(await facts()).toMatchObject([{ subject: "the [secret]", isError }]);
  },
);

it("records who called what, how long the tool took, and why it failed", async () => {
  const waits = async (): Promise<string> => {
    here.clock.stall(70);
    return "done";
  };
  const asks: Wrap = (next) => async (one) => {
    here.clock.stall(5_000); // a person decides
    one.onPermitted?.();
    return await next(one);
  };
  const fails = toolOf("fail", { run: () => Promise.reject(new Error("n".repeat(400))) });
  const bare = defineTool({
    ...{ name: "bare", description: "", access: "read" as const },
    input: () => z.object({}),
    run: async () => "",
  });
  const tools = [toolOf("wait", { access: "write", run: waits }), fails, bare];
  await acted(agentWith(tools, { wraps: [asks] }), [
    call("wait", { text: "s".repeat(300) }),
    call("bare", {}),
  ]);
  await acted(agentWith(tools, { subagent: name("alice/1") }), [call("fail"), call("none")]);
  const [waited, silent, failed, unknown] = (await facts()) as Record<string, unknown>[];
  expect(waited).toMatchObject({ type: "tool.called", who: alice, tool: "wait", ms: 70, isError: false });
  expect(String(waited?.subject)).toHaveLength(200);
  expect([waited?.note, waited?.subagent]).toEqual([undefined, undefined]);
  expect(silent).toMatchObject({ tool: "bare", subject: "" });
  expect(failed).toMatchObject({ tool: "fail", subject: "fail", isError: true, subagent: "alice/1" });
  expect(String(failed?.note)).toHaveLength(300);
  expect(unknown).toMatchObject({ tool: "none", subject: "", isError: true });
});

it("records an answer that a tool wrote together with its effect once, and none that was undone", async () => {
  const writes = toolOf("write", {
    access: "write",
    run: async (_, { answer }) => {
      await store.transcript.record(seat, [answer("written")]);
      return "not this";
    },
  });
  const undoes = toolOf("undo", {
    access: "write",
    run: (_, { answer }) => {
      answer("undone");
      throw new Error("not done");
    },
  });
  const answers = await acted(agentWith([writes, undoes]), [call("write"), call("undo")]);
  expect(answers).toEqual([
    [false, "written"],
    [true, "not done"],
  ]);
  const kept = await store.transcript.current(alice);
  expect(kept.map((entry) => (entry.kind === "result" ? entry.result.text : ""))).toEqual([
    "written",
    "not done",
  ]);
});

it("shows the images of all calls after the results, where images can be kept", async () => {
  const file = { name: "a.png", mediaType: "image/png", content: new Uint8Array([1]) } as const;
  const image: Image = {
    type: "image",
    hash: "h",
    name: "a.png",
    mediaType: "image/png",
    bytes: 1_000,
  } as never;
  const shows = toolOf("show", {
    run: async (_, { showImage }) => {
      await showImage?.(file);
      return showImage ? "shown" : "cannot";
    },
  });
  const agent = agentWith([shows, toolOf("look")], { keepImage: async () => image });
  expect(await acted(agent, [call("show"), call("look"), call("show")])).toHaveLength(3);
  expect(agent.conversation.news.filter((text) => text.includes("[image a.png"))).toHaveLength(1);
  expect(agent.conversation.hasImages).toBe(true);
  const one = agentWith([shows], { keepImage: async () => image });
  await acted(one, [call("show")]);
  expect(one.conversation.hasImages).toBe(true);
  const other = agentWith([shows, toolOf("look")]);
  expect(await acted(other, [call("show")])).toEqual([[false, "cannot"]]);
  expect(other.conversation.news).toEqual([]);
});

it("gives a tool the limits of its call", async () => {
  let asked = 0;
  let seen: ToolContext | undefined;
  const compact = (): void => {
    asked += 1;
  };
  const tool = toolOf("do", {
    run: (_, ctx) => {
      seen = ctx;
      ctx.compact?.();
      return "ok";
    },
  });
  const agent = agentWith([tool]);
  await acted(agent, [call("do")], { compact });
  await acted(agent, [call("do")]);
  expect(asked).toBe(1);
  expect(seen).toMatchObject({ self: alice, signal: step.signal, readable: [] });
  expect(await seen?.currentTask()).toBeNull();
  const end = await seen?.waitingFor("awaiting_permission");
  expect((await store.roster.member(alice))?.activity).toMatchObject({ reason: "awaiting_permission" });
  await end?.();
});

const IN_PART = "It may have taken effect in part: check before you repeat it.";
it.each([
  ["urgent", "before", "Interrupted by an urgent message before it began. It was not run."],
  ["person", "before", "Interrupted by the person before it began. It was not run."],
  ["urgent", "during", `Interrupted by an urgent message before it was done. ${IN_PART}`],
  ["person", "during", `Interrupted by the person before it was done. ${IN_PART}`],
  ["stop", "during", null],
  ["suspend", "before", null],
  ["budget", "during", null],
] as const)("answers a call that is interrupted (%s, %s it runs)", async (kind, when, said) => {
  const interrupt = (): void => step.abort(new Interruption(kind as InterruptionKind));
  const tool = toolOf("do", {
    access: "write",
    run: () => {
      interrupt();
      return Promise.reject(new Error("aborted"));
    },
  });
  if (when === "before") interrupt();
  const calls = [call("do"), call("do")];
  if (said === null)
    return await expect(acted(agentWith([tool]), calls)).rejects.toThrow(`interrupted: ${kind}`);
  const answers = await acted(agentWith([tool]), calls);
  expect(answers[0]).toEqual([true, said]);
  expect(answers[1]?.[1]).toContain("It was not run.");
});

it("tells why, when something else than the runtime aborts the signal", async () => {
  step.abort(new Error("the socket closed"));
  expect(await acted(agentWith([toolOf("do")]), [call("do")])).toEqual([[true, "the socket closed"]]);
});

it("runs a call in the names of another harness as ours, and stores it as it came", async () => {
  const seen: unknown[] = [];
  const deny: Wrap = (next) => async (given) => {
    seen.push([given.tool.name, given.input]);
    return await next(given);
  };
  const edit = defineTool({
    name: "edit_file",
    description: "",
    access: "write",
    input: () => z.object({ path: z.string(), old: z.string(), new: z.string() }),
    writes: ({ path }) => [path],
    run: async ({ path }) => `edited ${path}`,
  });
  const theirs = call("Edit", { file_path: "a.ts", old_string: "x", new_string: "y" });
  const agent = agentWith([edit], { wraps: [deny] });
  expect(await acted(agent, [theirs])).toEqual([[false, "edited a.ts"]]);
  expect(seen).toEqual([["edit_file", { path: "a.ts", old: "x", new: "y" }]]);
  expect(JSON.stringify(agent.conversation.messages())).toContain('"tool":"Edit","input":{"file_path"');
  expect(await facts()).toMatchObject([{ tool: "edit_file", wrote: ["a.ts"] }]);
  // A tool of exactly this name is meant by it, with its own fields.
  const own = toolOf("Edit");
  expect(await acted(agentWith([edit, own]), [call("Edit", { text: "t" })])).toEqual([[false, "Edit t"]]);
});

it("judges a patch in a shell line as the tool that has it, where the agent has that tool", async () => {
  const bash = defineTool({
    name: "bash",
    description: "",
    access: "exec",
    input: () => z.object({ command: z.string() }),
    run: async () => "127",
  });
  const patch = defineTool({
    name: "apply_patch",
    description: "",
    access: "write",
    unlisted: true,
    input: () => z.object({ patch: z.string() }),
    run: async () => "patched",
  });
  const line = { command: "apply_patch <<'EOF'\n*** Begin Patch\nEOF" };
  expect(await acted(agentWith([bash, patch]), [call("bash", line)])).toEqual([[false, "patched"]]);
  expect(await acted(agentWith([bash]), [call("bash", line)])).toEqual([[false, "127"]]);
});

it("does what a call asked for at its end before it is answered, and answers with its error", async () => {
  const asks = (fails: boolean) => (text: string, ctx: ToolContext) => {
    ctx.onEnd?.(async () => {
      did.push(`${text} is over`);
      if (fails) throw new Error("the end failed");
    });
    return "ok";
  };
  const tools = [
    toolOf("one", { run: asks(false), access: "write" }),
    toolOf("two", { run: asks(true), access: "write" }),
  ];
  expect(await acted(agentWith(tools), [call("one"), call("two")])).toEqual([
    [false, "ok"],
    [true, "the end failed"],
  ]);
  expect(did).toEqual(["one begins", "one ends", "one is over", "two begins", "two ends", "two is over"]);
});
