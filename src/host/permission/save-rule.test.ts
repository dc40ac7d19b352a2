/** These tests check what "always" does to a settings file, and what it leaves alone. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { personalFile } from "../../project/own-folders.ts";
import { allowForGood } from "./save-rule.ts";

let project: string;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), "ekiden-always-"));
});
afterEach(() => {
  for (const folder of [project, dirname(personalFile(project))])
    rmSync(folder, { recursive: true, force: true });
});

const read = (): string => readFileSync(personalFile(project), "utf8");
async function write(text: string): Promise<void> {
  await mkdir(dirname(personalFile(project)), { recursive: true });
  await writeFile(personalFile(project), text);
}

it("a project without settings gets a file with the rule", async () => {
  expect(await allowForGood(project, "bash(npm *)")).toBeNull();
  expect(JSON.parse(read())).toEqual({ allow: ["bash(npm *)"] });
});

it("answers at the same time are all kept, each once; comments and the rest stay as they are", async () => {
  await write('{\n  // why\n  "model": "x/y", /* here */\n  "allow": [\n    "a", // one\n  ],\n}\n');
  await Promise.all(["b", "c", "b", "a"].map((rule) => allowForGood(project, rule)));
  expect(read()).toMatchInlineSnapshot(`
    "{
      // why
      "model": "x/y", /* here */
      "allow": [
        "a", // one
        "b",
        "c"
      ],
    }
    "
  `);
});

it.each([
  ['{ "allow": ["a"] }', '{ "allow": ["a", "b"] }'],
  ['{ "allow": ["a",] }', '{ "allow": ["a", "b"] }'],
  ['{ "allow": [] }', '{ "allow": ["b"] }'],
  ["{}", '{"allow": ["b"]}'],
  ['{ "model": "x/y" } // end', '{ "model": "x/y", "allow": ["b"] } // end'],
  ['{\n  "model": "x/y" // here, there\n}', '{\n  "model": "x/y", // here, there\n  "allow": ["b"]\n}'],
  ["{ // mine\n}", '{ // mine\n  "allow": ["b"]\n}'],
  ["", '{\n  "allow": ["b"]\n}\n'],
])("%j becomes %j", async (before, after) => {
  await write(before);
  expect(await allowForGood(project, "b")).toBeNull();
  expect(read()).toBe(after);
});

it.each([
  ["{ not json", "not a valid JSON"],
  ['{ "allow": "all" }', "not a list"],
])("%s is left as it is, and said so", async (text, why) => {
  await write(text);
  expect(await allowForGood(project, "b")).toContain(why);
  expect(read()).toBe(text);
});
