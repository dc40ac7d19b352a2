import { expect, it } from "vitest";
import type { Event } from "../../../core/event.ts";
import { type Instant, name, type TaskId } from "../../../core/ids.ts";
import { Picture } from "../../../core/picture/picture.ts";
import { Completion } from "../../screen/editor/completion.ts";
import { valuesBehind } from "./values.ts";

const models = () => Promise.resolve(["anthropic/claude-sonnet-5-5", "openai/gpt-6.1-sol"]);

it.each([
  ["/model ", ["anthropic/claude-sonnet-5-5", "openai/gpt-6.1-sol"]],
  ["/model sonnet", ["anthropic/claude-sonnet-5-5"]],
  ["/effort x", ["xhigh"]],
  ["/effort m", ["max", "medium", "minimal"]],
  ["/mode pl", ["plan"]],
])("offers the values of %j", async (line, expected) => {
  const found = await valuesBehind(line, models);
  expect([...(found?.values ?? [])].sort()).toEqual(expected);
  expect(found?.begun).toBe(line.split(" ")[1]);
});

it.each(["/model", "/mode plan ", "/effort high ann", "/tasks x", "model x"])(
  "offers nothing behind %j",
  async (line) => {
    expect(await valuesBehind(line, models)).toBeNull();
  },
);

it("is the menu of the full screen", async () => {
  const completion = new Completion(".", [{ name: "model", about: "" }], () => null, models);
  const signal = new AbortController().signal;
  const found = await completion.getSuggestions(["/model gpt"], 0, 10, { signal });
  expect(found).toEqual({
    prefix: "gpt",
    items: [{ value: "openai/gpt-6.1-sol", label: "openai/gpt-6.1-sol" }],
  });
});

it.each([
  ["/task ", ["2", "1"]],
  ["/retry pars", ["1"]],
  ["/edit 2", ["2"]],
  ["/story al", ["alice"]],
  ["/panel la", ["landings"]],
  ["/theme d", ["dark"]],
])("is the menu of tasks, members and names behind %j", async (line, expected) => {
  const picture = new Picture();
  const by = name("lead");
  const added = (task: number, subject: string): Event =>
    ({
      ...{ type: "task.added", task: task as TaskId, subject, by, blockedBy: [] },
      seq: task,
      at: task as Instant,
    }) as Event;
  picture.apply(added(1, "Parse it"));
  picture.apply(added(2, "Publish"));
  picture.apply({
    ...{ type: "task.failed", task: 1 as TaskId, subject: "Parse it", by, attempt: 1, reason: "no" },
    ...{ seq: 3, at: 3 as Instant },
  } as Event);
  const team = { names: [name("alice"), name("bob")], picture };
  const completion = new Completion(".", [], () => team, models);
  const found = await completion.getSuggestions([line], 0, line.length, {
    signal: new AbortController().signal,
  });
  expect(found?.items.map(({ value }) => value)).toEqual(expected);
});
