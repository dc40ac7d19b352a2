import { expect, it } from "vitest";
import { name, type TaskId } from "../../core/ids.ts";
import type { Mode } from "../../core/permission/mode.ts";
import type { Effort, EffortSetting } from "../../core/settings/effort.ts";
import type { Model } from "../../ports/index.ts";
import { effortNote, memberEffort, thinking } from "./member-effort.ts";

type Case = {
  readonly effort?: EffortSetting;
  readonly role?: string;
  readonly kind?: "lead" | "teammate";
  readonly own?: Effort;
  readonly ofRole?: Effort;
  readonly chosen?: Effort;
  readonly mode?: Mode;
  readonly description?: string;
  readonly needsPlan?: boolean;
  readonly approved?: boolean;
};
const PHASES = { plan: "high", work: "medium", review: "xhigh", roles: { tester: "low" } } as const;

async function thinks({
  effort = PHASES,
  kind = "teammate",
  role = "",
  needsPlan = false,
  mode = "default",
  ...rest
}: Case) {
  const task = { id: 3 as TaskId, attempt: 1, description: rest.description ?? "", needsPlan: false };
  const sources = {
    store: {
      board: { task: () => Promise.resolve(task) },
      requests: {
        planFor: () => Promise.resolve({ state: "answered", answer: { yes: rest.approved === true } }),
      },
    } as unknown as Parameters<typeof memberEffort>[0]["store"],
    settings: { effort },
    profile: { name: name("alice"), kind, role, model: "", needsPlan },
    own: rest.own,
    ofRole: rest.ofRole,
    mode: () => mode,
    task: () => task.id,
    chosen: () => rest.chosen,
  };
  return await memberEffort(sources)();
}

it.each([
  [{}, "medium"],
  [{ kind: "lead" }, "high"],
  [{ mode: "plan" }, "high"],
  [{ needsPlan: true }, "high"],
  [{ needsPlan: true, approved: true }, "medium"],
  [{ role: "code-reviewer" }, "xhigh"],
  [{ role: "Tester" }, "low"],
  [{ effort: "max" }, "max"],
  [{ effort: "max", ofRole: "low" }, "low"],
  [{ own: "minimal", ofRole: "low" }, "minimal"],
  [{ own: "minimal", description: "Fix it.\nEffort: xhigh" }, "xhigh"],
  [{ description: "Effort: xhigh", chosen: "none" }, "none"],
] as [Case, Effort][])("%j thinks with %s", async (given, expected) => {
  expect(await thinks(given)).toBe(expected);
});

it("says what becomes of a level that a model does not have", () => {
  expect(effortNote("anthropic/claude-opus-4-6", "xhigh")).toBe(
    'anthropic/claude-opus-4-6 has no effort "xhigh", so it thinks with "high". Its levels: low, medium, high, max.',
  );
  expect(effortNote("openai-compatible/qwen", "high")).toContain("no levels of effort that Ekiden knows");
  expect(
    effortNote("openai-compatible/qwen", "high", { "openai-compatible/qwen": { efforts: ["high"] } }),
  ).toBe("");
  for (const [spec, level] of [
    ["anthropic/claude-sonnet-5-5", "max"],
    ["runbook", "high"],
    ["anthropic/claude-haiku-4-5", undefined],
  ] as const)
    expect(effortNote(spec, level)).toBe("");
});

it("leaves a model as it is but for the effort of its requests", async () => {
  const asked: unknown[] = [];
  const model: Model = {
    spec: "a/b",
    window: 1,
    bindsPrefix: true,
    caches: true,
    longestReply: 2,
    reply: (request) => {
      asked.push(request.effort);
      return Promise.reject(new Error("no"));
    },
  };
  const { spec, window, bindsPrefix, caches, longestReply, reply } = thinking(model, () =>
    Promise.resolve("high"),
  );
  expect({ spec, window, bindsPrefix, caches, longestReply }).toEqual({ ...model, reply: undefined });
  const request = { system: "", messages: [], tools: [] };
  for (const more of [{}, { effort: "low" } as const])
    await expect(reply({ ...request, ...more }, { signal: new AbortController().signal })).rejects.toThrow(
      "no",
    );
  expect(asked).toEqual(["high", "low"]);
});
