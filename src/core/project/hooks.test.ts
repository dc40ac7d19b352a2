/** These tests check which hooks apply to a call, what their settings may look like, and what their exit codes mean. */
import { describe, expect, it } from "vitest";
import { type Hook, type HookEvent, hookSettings, joinHooks, matching, verdict } from "./hooks.ts";

const hook = (matcher: string): Hook => ({ matcher, command: "true", timeoutMs: 1_000 });

describe("settings", () => {
  it("are a list of commands with matcher and timeout per event", () => {
    const given = {
      PreToolUse: [{ matcher: "bash|write_*", command: "./check", timeoutMs: 500 }, { command: "log" }],
    };
    expect(hookSettings().parse(given)).toEqual({
      PreToolUse: [
        { matcher: "bash|write_*", command: "./check", timeoutMs: 500 },
        { matcher: "", command: "log", timeoutMs: 60_000 },
      ],
    });
  });

  it("may have the nested form with seconds", () => {
    const given = {
      Stop: [
        {
          hooks: [
            { type: "command", command: "a" },
            { type: "command", command: "b", timeout: 5 },
          ],
        },
      ],
    };
    expect(hookSettings().parse(given)).toEqual({
      Stop: [
        { matcher: "", command: "a", timeoutMs: 60_000 },
        { matcher: "", command: "b", timeoutMs: 5_000 },
      ],
    });
  });

  it.each([
    { Bogus: [] },
    { PreToolUse: {} },
    { PreToolUse: [{ command: "" }] },
    { PreToolUse: [{ command: "x", timeoutMs: 0 }] },
    { PreToolUse: [{ hooks: [{ type: "prompt", prompt: "?" }] }] },
    { PreToolUse: [{ command: "x", other: 1 }] },
  ])("%j is refused", (given) => {
    expect(hookSettings().safeParse(given).success).toBe(false);
  });

  it("of several sources add up", () => {
    const joined = joinHooks([{ Stop: [hook("a")] }, { Stop: [hook("b")], PreToolUse: [hook("c")] }, {}]);
    expect(joined.Stop?.map((one) => one.matcher)).toEqual(["a", "b"]);
    expect(Object.keys(joined)).toEqual(["PreToolUse", "Stop"]);
  });
});

describe("a matcher", () => {
  it.each([
    ["Edit|Write", "apply_patch"],
    ["", "bash"],
    ["*", "bash"],
    [".*", "bash"],
    ["bash", "bash"],
    ["Bash", "bash"],
    ["edit_file|bash", "bash"],
    ["write_*", "write_file"],
    ["Edit|Write", "write_file"],
    ["Read", "read_file"],
    ["^bash$", "bash"],
    ["mcp__.*", "mcp__files__read"],
    ["mcp__*__read", "mcp__files__read"],
    ["*a*a*", "banana"],
  ])("%j fits %s", (matcher, tool) => {
    expect(matching({ PreToolUse: [hook(matcher)] }, "PreToolUse", tool)).toHaveLength(1);
  });

  it.each([
    ["Bash", "apply_patch"],
    ["bash", "bash_more"],
    ["write_*", "rewrite_file"],
    ["mcp__*__read", "mcp__read"],
    ["a*a", "a"],
    ["ba.h", "bash"],
    ["glob|grep", "bash"],
  ])("%j does not fit %s", (matcher, tool) => {
    expect(matching({ PreToolUse: [hook(matcher)] }, "PreToolUse", tool)).toEqual([]);
  });

  it("does not matter where there is nothing to match, and other events stay out", () => {
    const hooks = { Stop: [hook("bash")], TaskCreated: [hook("")] };
    expect(matching(hooks, "Stop", null)).toHaveLength(1);
    expect(matching(hooks, "PreCompact", "auto")).toEqual([]);
  });
});

describe("an exit code", () => {
  const ended = { hook: hook(""), exitCode: 0, timedOut: false, stdout: " out \n", stderr: " err \n" };

  it("0 continues, and only some events add what the hook printed", () => {
    expect(verdict("SessionStart", ended)).toEqual({ kind: "go", context: "out" });
    expect(verdict("UserPromptSubmit", ended)).toEqual({ kind: "go", context: "out" });
    expect(verdict("PreToolUse", ended)).toEqual({ kind: "go", context: "" });
  });

  it("2 blocks with stderr as the reason", () => {
    expect(verdict("Stop", { ...ended, exitCode: 2 })).toEqual({ kind: "block", feedback: "err" });
    expect(verdict("Stop", { ...ended, exitCode: 2, stderr: "" })).toMatchObject({ feedback: "out" });
    expect(verdict("Stop", { ...ended, exitCode: 2, stderr: "", stdout: "" })).toMatchObject({
      kind: "block",
      feedback: expect.stringContaining('Stop hook "true"'),
    });
    const long = verdict("Stop", { ...ended, exitCode: 2, stderr: `${"x".repeat(200_000)}the end` });
    expect(long).toMatchObject({ feedback: expect.stringMatching(/^x+\n\[… .*the end$/s) });
    expect(JSON.stringify(long).length).toBeLessThan(11_000);
  });

  const said = (event: HookEvent, answer: object) =>
    verdict(event, { ...ended, stdout: JSON.stringify(answer) });

  it.each([
    { decision: "block", reason: "why" },
    { continue: false, stopReason: "why" },
    { hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: "why" } },
    { hookSpecificOutput: { permissionDecision: "ask", permissionDecisionReason: "why" }, decision: 7 },
  ])("0 with %j on stdout blocks, as elsewhere", (answer) => {
    expect(said("PreToolUse", answer)).toEqual({ kind: "block", feedback: "why" });
  });

  it("0 with JSON on stdout may also continue, add something and tell the person; other JSON is text", () => {
    const hookSpecificOutput = { hookEventName: "PostToolUse", additionalContext: "lint: 2 warnings" };
    expect(said("PostToolUse", { hookSpecificOutput })).toEqual({ kind: "go", context: "lint: 2 warnings" });
    expect(said("Stop", { decision: "approve", systemMessage: "fine" })).toMatchObject({
      kind: "go",
      context: "",
      note: expect.stringContaining("fine"),
    });
    expect(said("UserPromptSubmit", { branch: "main" })).toEqual({
      kind: "go",
      context: '{"branch":"main"}',
    });
  });

  it.each([
    ["checking the call…\n", ""],
    ["\uFEFF", ""],
    ["\u001b[0m", "\u001b[0m\r\n"],
    ['{"continue": true}\n', "\n"],
    ['{"systemMessage": "x"}', "\nbye"],
    ['{"decision": "appro', ""],
  ])("0 with %j before an object and %j after it: the last object counts", (before, after) => {
    const isOpen = before.endsWith("appro");
    const stdout = `${before}${isOpen ? "\n" : ""}{"decision": "block",\n "reason": "why"}${after}`;
    expect(verdict("PreToolUse", { ...ended, stdout })).toEqual({ kind: "block", feedback: "why" });
    const allowed = `{"decision": "block"}\n${stdout.replace('"block"', '"approve"')}`;
    expect(verdict("PreToolUse", { ...ended, stdout: allowed })).toMatchObject({ kind: "go" });
  });

  it.each([
    '{"decision": "blo',
    '{"deci',
    '{"continue": true}\n{"permiss',
    "{'decision': 'block'}",
    '{decision: "block"}',
    '{"continue": true}\n{"decision": "block"',
    '{"decision": "block", "reason": "two\nlines"}',
  ])("0 with %j, which cannot be read, is a warning, and refuses a call", (stdout) => {
    expect(verdict("PreToolUse", { ...ended, stdout })).toMatchObject({
      kind: "block",
      feedback: expect.stringContaining("JSON that cannot be read"),
    });
    expect(verdict("UserPromptSubmit", { ...ended, stdout })).toMatchObject({
      kind: "go",
      context: stdout,
      note: expect.stringContaining("JSON that cannot be read"),
    });
    expect(verdict("Stop", { ...ended, stdout })).toMatchObject({ kind: "go", context: "" });
  });

  it("is missing where a hook could not be started: a warning, and a call is refused", () => {
    const failed = { hook: hook(""), notStarted: "no sandbox." };
    expect(verdict("PreToolUse", failed)).toMatchObject({
      kind: "block",
      feedback: expect.stringContaining("could not be started: no sandbox."),
    });
    expect(verdict("Stop", failed)).toMatchObject({ kind: "warn" });
  });

  it("of another value, a signal and a time-out are warnings", () => {
    expect(verdict("Stop", { ...ended, exitCode: 1 })).toMatchObject({
      kind: "warn",
      text: expect.stringContaining("exit code 1"),
    });
    expect(verdict("Stop", { ...ended, exitCode: null })).toMatchObject({
      kind: "warn",
      text: expect.stringContaining("signal"),
    });
    expect(verdict("Stop", { ...ended, exitCode: 2, timedOut: true })).toMatchObject({
      kind: "warn",
      text: expect.stringContaining("longer than 1 s"),
    });
  });

  it("shows what a hook said, if anything, up to 300 characters", () => {
    const text = (stderr: string) => {
      const found = verdict("Stop", { ...ended, exitCode: 1, stderr });
      return "text" in found ? found.text.replace(/^.*continues without it\./, "") : "";
    };
    expect(text(" \n")).toBe("");
    expect(text("no\n")).toBe(" It said: no");
    expect(text("x".repeat(300))).toBe(` It said: ${"x".repeat(300)}`);
    expect(text("x".repeat(301))).toBe(` It said: ${"x".repeat(299)}…`);
  });
});
