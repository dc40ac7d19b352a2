/** These tests check the rules that open a folder outside of the workspace, also one whose name has a meaning in patterns. */
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { takeAway } from "../../../test/fixtures/take-away.ts";
import { decide, parseRule } from "../../core/permission/permission.ts";
import { disk } from "./disk.ts";
import { openedBy } from "./opened.ts";
import { wayFor } from "./ways-out.ts";

it.each(["plain", "[id]", "{a,b}", "what?", "back\\slash"])(
  "a yes to %s offers a rule that opens it",
  (name) => {
    const base = realpathSync(mkdtempSync(join(tmpdir(), "ekiden-ways-out-")));
    onTestFinished(() => takeAway(base));
    const folder = join(base, name);
    mkdirSync(folder);
    const asked = { tool: "bash", reason: "it uses it", rule: null };
    const where = { workspace: join(base, "ws"), required: false };
    const { rule, opening } = wayFor(asked, null, [folder], { ...where, written: [folder] });
    expect(opening).toEqual({ writable: [folder], readable: [] });
    const read = wayFor(asked, null, [folder], { ...where, written: [] });
    expect(read).toMatchObject({ opening: { writable: [], readable: [folder] } });
    expect(read.rule).toContain("read_file(");
    expect(openedBy([parseRule("allow", read.rule ?? "")], "write")).toEqual([]);
    expect(openedBy([parseRule("allow", rule ?? "")], "write")).toEqual([folder]);
    expect(openedBy([parseRule("deny", rule ?? "")], "write")).toEqual([]);
    expect(openedBy([parseRule("allow", `write_file(${base}/*)`)], "write")).toEqual([]);
  },
);

it.each([
  ["cat OUT/a", false],
  ["cp OUT/a .", false],
  ["cp a OUT/a", true],
  ["echo x >> OUT/a", true],
  ["rm OUT/a", true],
  ["cat OUT/new > x", true],
])("%s writes what it names outside: %s", async (line, isWritten) => {
  const base = realpathSync(mkdtempSync(join(process.cwd(), "node_modules/.ways-out-")));
  onTestFinished(() => takeAway(base));
  const [workspace, out] = [join(base, "ws"), join(base, "out")];
  for (const folder of [workspace, out]) mkdirSync(folder);
  for (const file of [join(workspace, "a"), join(workspace, "b"), join(out, "a")]) writeFileSync(file, "x");
  const text = line.replace("OUT", out);
  const { effect, outside, written } = await decide([], "default", {
    ...{ tool: "bash", access: "exec", subject: text, line: text, workspace, disk, confined: true },
  });
  expect(effect).toBe("ask");
  expect(outside).toHaveLength(1);
  expect(written).toEqual(isWritten ? outside : []);
});

it("a folder with brackets is also opened by its name as it is", () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "ekiden-ways-out-")));
  onTestFinished(() => takeAway(base));
  mkdirSync(join(base, "[id]"));
  expect(openedBy([parseRule("allow", `write_file(${base}/[id]/**)`)], "write")).toEqual([
    join(base, "[id]"),
  ]);
});
