import { expect, it } from "vitest";
import { Completion } from "../screen/completion.ts";
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

it("offers no models where no provider answers", async () => {
  expect(await valuesBehind("/model ", () => Promise.reject(new Error("no")))).toEqual({
    begun: "",
    values: [],
  });
});

it("is the menu of the full screen", async () => {
  const completion = new Completion(".", [{ name: "model", about: "" }], () => [], models);
  const signal = new AbortController().signal;
  const found = await completion.getSuggestions(["/model gpt"], 0, 10, { signal });
  expect(found).toEqual({
    prefix: "gpt",
    items: [{ value: "openai/gpt-6.1-sol", label: "openai/gpt-6.1-sol" }],
  });
});
