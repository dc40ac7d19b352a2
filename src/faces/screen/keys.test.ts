import { afterEach, expect, it } from "vitest";
import { actionOf, bindKeys, boundKeys, inRow, keyHint } from "./keys.ts";

afterEach(() => void bindKeys({}));

it("gives an action the keys that were chosen, and takes them from the one that had them", () => {
  expect(bindKeys({ panels: ["ctrl+p", "f9"], member: "ctrl+t" })).toEqual([]);
  expect(actionOf("\x10", false)).toBe("panels");
  expect(actionOf("\x14", false)).toBe("member");
  expect(actionOf("\x0e", false)).toBeUndefined();
  expect(bindKeys({ find: [] })).toEqual([]);
  expect(actionOf("\x06", true)).toBeUndefined();
});

it("names the key that an action has now, and nothing where it has none", () => {
  bindKeys({ panels: ["f12", "f9"], find: [] });
  expect(inRow(keyHint("panels", "panels"), keyHint("find", "search"), keyHint("close", "closes"))).toBe(
    "f12 panels · esc closes",
  );
});

it("leaves letters to the line that is typed", () => {
  expect(bindKeys({ panels: "b" })).toEqual([]);
  expect(actionOf("b", true)).toBe("panels");
  expect(actionOf("b", false)).toBeUndefined();
});

it.each([
  [[], 'keys must be an object such as { "panels": "ctrl+p" }'],
  ["ctrl+p", "keys must be an object"],
  [{ panel: "ctrl+p" }, 'there is no action "panel". Did you mean'],
  [{ panels: "strg+p" }, "of panels is no key; a key is such as ctrl+p"],
  [{ panels: 7 }, "of panels is no key"],
  [{ panels: "ctrl+p", find: "ctrl+p" }, "keys: ctrl+p is given to panels and to find; panels has it"],
  [{ interrupt: [] }, "keys: interrupt needs a key"],
  [{ panels: "ctrl+c" }, "keys: interrupt would have no key, so it keeps ctrl+c"],
])("names the fault of %j, and always has a key that interrupts", (wanted, fault) => {
  expect(bindKeys(wanted).join("\n")).toContain(fault);
  expect(boundKeys().interrupt.keys).not.toEqual([]);
  expect(boundKeys().close.keys).toEqual(["escape"]);
});
