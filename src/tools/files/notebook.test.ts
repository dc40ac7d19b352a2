/** Notebooks are shown as their cells, in limits; other files stay as they are. */
import { mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { takeAway } from "../../../test/fixtures/take-away.ts";
import type { ToolContext } from "../../ports/index.ts";
import { readFile } from "./read-file.ts";

let workspace: string;
beforeEach(() => {
  workspace = realpathSync(mkdtempSync(join(tmpdir(), "ekiden-notebook-")));
});
afterEach(() => takeAway(workspace));

async function read(content: unknown, more: object = {}): Promise<string> {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  writeFileSync(join(workspace, "a.ipynb"), text);
  const ctx = { workspace, store: {}, self: "alice", readable: [], signal: new AbortController().signal };
  return await readFile.run({ path: "a.ipynb", ...more }, ctx as unknown as ToolContext);
}

const CELLS = {
  nbformat: 4,
  cells: [
    { cell_type: "markdown", source: ["# Title\n", "text"] },
    {
      cell_type: "code",
      source: "print(1)\nplot()",
      outputs: [
        { output_type: "stream", text: ["\u001b[31m1\u001b[0m\n"] },
        { output_type: "display_data", data: { "image/png": "A".repeat(50_000), "text/plain": "<Figure>" } },
        { output_type: "error", ename: "ValueError", evalue: "no", traceback: ["x".repeat(9_000)] },
      ],
    },
  ],
};

it("shows cells with their outputs", async () => {
  const text = await read(CELLS);
  expect(
    text
      .split("\n")
      .slice(0, -1)
      .map((line) => line.replace(/^\d+\t/, "")),
  ).toEqual(
    ["[cell 1: markdown]", "# Title", "text", "", "[cell 2: code]", "print(1)", "plot()"].concat([
      "[output]",
      "1",
      "[output]",
      "<Figure>",
      "(image/png)",
      "[output]",
      "ValueError: no",
    ]),
  );
  expect(text).toContain("The file itself is JSON");
  expect(await read(CELLS, { offset: 6, limit: 1 })).toMatch(
    /^6\tprint\(1\)\n\[lines 6 to 6 of 14 lines; continue with offset 7\]/,
  );
  await expect(read(CELLS, { offset: 99 })).rejects.toThrow("has only 14 lines");
});

it("is bounded, whatever a program printed", async () => {
  const output = { text: "line\n".repeat(10_000) };
  const cell = { cell_type: "code", source: "x".repeat(5_000), outputs: Array(30).fill(output) };
  const text = await read({ nbformat: 4, cells: Array(5).fill(cell) });
  expect(text.length).toBeLessThan(60_000);
  expect(text).toContain("[20 more outputs]");
  expect(text).toContain("[… 50000 characters]");
});

it.each([
  ["not JSON", '{"cells": ['],
  ["no notebook", '{"cells": []}'],
  ["nothing in it", '{"nbformat": 4, "cells": null}'],
  ["a list", "[1]"],
])("shows the text of what is no notebook: %s", async (_, text) => {
  expect(await read(text)).toBe(`1\t${text}`);
});

it("takes cells of any kind", async () => {
  expect(
    await read({ nbformat: 4, cells: [null, 3, { source: { a: 1 }, outputs: [null, { data: 5 }] }] }),
  ).toContain("[cell 3: ]");
});
