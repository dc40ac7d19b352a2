import { expect, it } from "vitest";
import { Vim } from "./vim.ts";

const on = (): Vim => Object.assign(new Vim(), { isOn: true });

it("is nothing where it is not wanted", () => {
  expect(new Vim().keysOf("\x1b", false)).toBeNull();
  expect(on().keysOf("h", false)).toBeNull();
});

it("moves and changes in the normal mode, and types again", () => {
  const vim = on();
  vim.keysOf("\x1b", false);
  expect(vim.mode).toBe("-- NORMAL --");
  expect(vim.keysOf("h", false)).toEqual(["\x1b[D"]);
  expect(vim.keysOf("d", false)).toEqual([]);
  expect(vim.mode).toBe("-- NORMAL -- d");
  expect(vim.keysOf("w", false)).toEqual(["\x1bd"]);
  expect(vim.keysOf("d", false)).toEqual([]);
  expect(vim.keysOf("q", false)).toEqual([]);
  expect(vim.keysOf("q", false)).toEqual([]);
  expect(vim.keysOf("A", false)).toEqual(["\x05"]);
  expect(vim.mode).toBe("");
  expect(vim.keysOf("h", false)).toBeNull();
});

it("leaves Esc to the screen in the normal mode and on an empty line, and Enter and commands too", () => {
  const vim = on();
  expect(vim.keysOf("\x1b", true)).toBeNull();
  vim.keysOf("\x1b", false);
  expect(vim.keysOf("\x1b", false)).toBeNull();
  expect(vim.keysOf("\r", false)).toBeNull();
  expect(vim.mode).toBe("");
  vim.keysOf("\x1b", false);
  expect(vim.keysOf("/", true)).toBeNull();
  expect(vim.mode).toBe("");
});
