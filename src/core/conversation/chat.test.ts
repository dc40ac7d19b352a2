import { expect, it } from "vitest";
import { invalidInput, type ToolCall } from "./chat.ts";

const call = (input: unknown): ToolCall => ({ type: "call", id: "1", tool: "bash", input });

it("tells input that was not a JSON object from input that was", () => {
  expect(invalidInput(call({ command: "ls" }))).toBeNull();
  expect(invalidInput(call({}))).toBeNull();
  expect(invalidInput(call({ __invalid: '{"command": "l' }))).toBe('{"command": "l');
  expect(invalidInput(call("ls"))).toBe('"ls"');
  expect(invalidInput(call(["ls"]))).toBe('["ls"]');
  expect(invalidInput(call(undefined))).toBe("");
});
