/** A file tool that no other file knows: rules, protected files, modes, diffs, trims and the figures of a run hold for it all the same. */
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { agentOf, calling, modelOf } from "../../test/fixtures/member.ts";
import { stage } from "../../test/fixtures/stage.ts";
import { takeAway } from "../../test/fixtures/take-away.ts";
import { createSandbox } from "../adapters/sandbox/index.ts";
import type { Seat } from "../core/board/member.ts";
import { callsOf, type ToolResult } from "../core/conversation/chat.ts";
import { trimmed, WHOLE } from "../core/conversation/trim.ts";
import { DEFAULT_SETTINGS, type Settings } from "../core/settings/settings.ts";
import { shownCall } from "../core/views/shown-call.ts";
import { changeOf } from "../faces/screen/draw/diff.ts";
import { contentsBefore } from "../faces/web/page/pure/edits.ts";
import type { Store } from "../ports/index.ts";
import { permitted } from "../runtime/agent/call.ts";
import { turn } from "../runtime/turn/turn.ts";
import { planGate } from "../runtime/wraps/plan-approval.ts";
import { RunSummary } from "../team/queries/summary.ts";
import { defineTool } from "../tools/define.ts";
import { withFile } from "../tools/files/opened.ts";
import { placeOf } from "../tools/files/workspace.ts";
import { permissionPolicy } from "./permission/permission-policy.ts";
import { PermissionQuestions } from "./permission/permission-questions.ts";

const swap = defineTool({
  name: "swap_words",
  description: "Put a word in the place of another.",
  access: "write",
  input: () => z.object({ file: z.string(), was: z.string(), is: z.string() }),
  subject: ({ was, is }) => `${was} by ${is}`,
  reads: ({ file }) => [file],
  writes: ({ file }) => [file],
  shows: { path: "file", old: "was", new: "is" },
  async run({ file, was, is }, ctx) {
    const place = await placeOf(file, ctx, "write");
    const text = await withFile(place, "write", (opened) => opened.readFile("utf8"));
    writeFileSync(
      place.real,
      text.replace(was, () => is),
    );
    return "Swapped.";
  },
});
const leaf = defineTool({
  name: "leaf_through",
  description: "Read a file.",
  access: "read",
  input: () => z.object({ file: z.string() }),
  subject: () => "a file",
  reads: ({ file }) => [file],
  shows: { path: "file" },
  lasting: true,
  run: async ({ file }, ctx) =>
    await withFile(await placeOf(file, ctx, "read"), "read", async (opened) =>
      (await opened.readFile("utf8")).replace(/\n$/, "").replace(/^/gm, "1\t"),
    ),
});
/** Declares nothing: its subject is taken for the file that it writes. */
const silent = defineTool({
  name: "put_down",
  description: "Write a file.",
  access: "write",
  input: () => z.object({ file: z.string() }),
  subject: ({ file }) => file,
  run: () => Promise.resolve("Done."),
});

const here = stage("sqlite");
const LONG = `red ${"x".repeat(900)}`;
let store: Store;
let seat: Seat;
let workspace: string;
beforeEach(async () => {
  const crew = await here.crew(["alice"]);
  store = crew.store;
  seat = crew.seats[0] as Seat;
  workspace = realpathSync(mkdtempSync(join(tmpdir(), "ekiden-new-tool-")));
  mkdirSync(join(workspace, ".vscode"));
  for (const file of ["a", "b", ".env", ".vscode/settings.json"])
    writeFileSync(join(workspace, file), `${LONG}\n`);
  linkSync(join(workspace, ".env"), join(workspace, "hard"));
  symlinkSync(".env", join(workspace, "link"));
  symlinkSync("a", join(workspace, "to-a"));
});
afterEach(() => takeAway(workspace));

/** One turn in which the member makes this call. */
async function called(
  tool: string,
  input: object,
  given: Partial<Settings>,
  more: { needsPlan?: boolean } = {},
) {
  const settings: Settings = { ...DEFAULT_SETTINGS, permissionsTo: "nobody", ...given };
  const parts = {
    ...{ store, settings, clock: here.clock, workspace, trees: null, userFolder: workspace },
    secrets: { redact: (text: string) => text } as never,
    sandbox: createSandbox({
      ...{
        mode: "off",
        network: "off",
        workspace,
        stateFolder: workspace,
        cacheFolder: workspace,
        ownFolders: [],
      },
    }),
  };
  const policy = permissionPolicy(parts, new PermissionQuestions(parts, false));
  const gate = planGate({ kind: "teammate", needsPlan: more.needsPlan ?? false });
  const agent = agentOf(
    store,
    seat,
    here.clock,
    modelOf(() => calling(tool, input)),
    {
      ...{ workspace, tools: [swap, leaf, silent], wraps: [gate, permitted(policy)] },
    },
  );
  agent.conversation.add({ kind: "heard", text: "Do it." });
  const { round } = await turn(agent, new AbortController().signal);
  const entries = await store.transcript.all(seat.name, 0, 100);
  const result = round.flatMap((entry) => (entry.kind === "result" ? entry.result : []))[0] as ToolResult;
  return { agent, entries, result, text: result.text };
}

it.each<[string, string, object, Partial<Settings>, RegExp]>([
  ["a deny rule", "swap_words", { file: ".env" }, { deny: ["write_file(.env)"] }, /deny write_file\(\.env\)/],
  [
    "a deny rule about reading",
    "swap_words",
    { file: ".env" },
    { deny: ["Read(.env)"] },
    /deny read_file\(\.env\)/,
  ],
  ["a deny rule, by ..", "swap_words", { file: "x/../.env" }, { deny: ["Edit(.env)"] }, /deny edit_file/],
  [
    "a deny rule, by /proc",
    "swap_words",
    { file: "/proc/self/cwd/../.env" },
    { deny: ["Edit(**)"] },
    /outside|deny/,
  ],
  [
    "a deny rule, for a reader",
    "leaf_through",
    { file: ".env" },
    { deny: ["read_file(.env)"] },
    /deny read_file/,
  ],
  [
    "a deny rule, by a hard link",
    "leaf_through",
    { file: "hard" },
    { deny: ["read_file(.env)"] },
    /deny read_file/,
  ],
  [
    "a deny rule, by a link",
    "swap_words",
    { file: "link" },
    { deny: ["write_file(.env)"] },
    /deny write_file/,
  ],
  [
    "a deny rule for a link, by what it leads to",
    "leaf_through",
    { file: "a" },
    { deny: ["read_file(to-a)"] },
    /deny read_file/,
  ],
  ["an ask rule", "swap_words", { file: "a" }, { ask: ["write_file(a)"] }, /ask write_file\(a\)/],
  [
    "a protected file",
    "swap_words",
    { file: ".vscode/settings.json" },
    {},
    /\.vscode decides what runs later/,
  ],
  ["mode plan", "swap_words", { file: "a" }, { permissionMode: "plan" }, /mode plan refuses/],
  ["mode default", "swap_words", { file: "a" }, { permissionMode: "default" }, /mode default asks/],
  ["silence about a protected file", "put_down", { file: ".envrc" }, {}, /\.envrc decides/],
  [
    "silence about a closed file",
    "put_down",
    { file: ".env" },
    { deny: ["write_file(.env)"] },
    /deny write_file/,
  ],
])("is refused by %s", async (_, tool, input, settings, why) => {
  const given: Partial<Settings> = { permissionMode: "bypass", ...settings };
  const { result } = await called(tool, { was: "red", is: "blue", ...input }, given);
  expect(result).toMatchObject({ isError: true });
  expect(result.text).toMatch(why);
  expect(readFileSync(join(workspace, ".env"), "utf8")).toBe(`${LONG}\n`);
});

it("is refused before its plan is approved", async () => {
  const { text } = await called("swap_words", { file: "a", was: "red", is: "blue" }, {}, { needsPlan: true });
  expect(text).toMatch(/swap_words is not permitted yet/);
});

it("is shown as an edit, counted as a changed file, and described in its transcript", async () => {
  const bypass = { permissionMode: "bypass" } as const;
  const read = await called("leaf_through", { file: "a" }, bypass);
  const edit = await called("swap_words", { file: "a", was: "red", is: "blue" }, bypass);
  expect(readFileSync(join(workspace, "a"), "utf8")).toBe(`${LONG.replace("red", "blue")}\n`);
  const said = edit.entries.flatMap(({ entry }) => (entry.kind === "said" ? callsOf(entry.message) : []));
  const last = said.at(-1) as (typeof said)[number];
  expect(shownCall(last)).toEqual({ kind: "edit", path: "a", old: "red", new: "blue", all: false });
  expect(changeOf(last)).toMatchObject({ path: "a", added: 1, removed: 1 });
  const results = new Map([read.result, edit.result].map((one) => [one.id, one]));
  expect(contentsBefore(edit.entries, results).get(last.id)).toBe(`${LONG}\n`);
  const summary = new RunSummary();
  summary.take((await store.journal.read(store.journal.from(0))).events);
  expect((await summary.figures(workspace)).files).toBe(1);
});

it("has its results kept as long as those of reading a file", async () => {
  const { agent, result } = await called("leaf_through", { file: "b" }, {});
  expect(result.lasting).toBe(true);
  const trim = { ...WHOLE, results: 5 };
  const texts = (messages: readonly unknown[]) => JSON.stringify(messages);
  expect(texts(trimmed(agent.conversation.messages(), trim))).toContain(LONG);
  expect(texts(trimmed(agent.conversation.messages(), { ...trim, reads: 5 }))).not.toContain(LONG);
});

it("calls of older transcripts, which describe nothing, are shown by what they hold", () => {
  const shown = (tool: string, input: unknown) => shownCall({ tool, input }).kind;
  expect(shown("edit_file", { path: "a", old: "b", new: "c" })).toBe("edit");
  expect(shown("write_file", { path: "a", content: "" })).toBe("write");
  expect(shown("read_file", { path: "a", offset: 3 })).toBe("file");
  expect(shown("bash", { command: "ls" })).toBe("command");
  expect(shown("task", { prompt: "look" })).toBe("subagent");
  expect(shown("mcp__art__draw", { prompt: "look" })).toBe("other");
  for (const input of [null, 7, "x", [], { path: 7 }, JSON.parse('{"__proto__":{"path":"a"}}')])
    expect(shown("constructor", input)).toBe("other");
});
