/** These tests check the rules that open a folder outside of the workspace, also one whose name has a meaning in patterns. */
import { mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { takeAway } from "../../../test/fixtures/take-away.ts";
import { parseRule } from "../../core/permission/permission.ts";
import { openedBy, wayFor } from "./ways-out.ts";

it.each(["plain", "[id]", "{a,b}", "what?", "back\\slash"])(
  "a yes to %s offers a rule that opens it",
  (name) => {
    const base = realpathSync(mkdtempSync(join(tmpdir(), "ekiden-ways-out-")));
    onTestFinished(() => takeAway(base));
    const folder = join(base, name);
    mkdirSync(folder);
    const asked = { tool: "bash", reason: "it uses it", rule: null };
    const { rule, opening } = wayFor(asked, null, [folder], { workspace: join(base, "ws"), required: false });
    expect(opening).toEqual({ writable: [folder] });
    expect(openedBy([parseRule("allow", rule ?? "")])).toEqual([folder]);
    expect(openedBy([parseRule("deny", rule ?? "")])).toEqual([]);
    expect(openedBy([parseRule("allow", `write_file(${base}/*)`)])).toEqual([]);
  },
);

it("a folder with brackets is also opened by its name as it is", () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "ekiden-ways-out-")));
  onTestFinished(() => takeAway(base));
  mkdirSync(join(base, "[id]"));
  expect(openedBy([parseRule("allow", `write_file(${base}/[id]/**)`)])).toEqual([join(base, "[id]")]);
});
