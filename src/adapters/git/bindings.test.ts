import { mkdirSync, mkdtempSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { takeAway } from "../../../test/fixtures/take-away.ts";
import { asTaskId, DEFAULT_TEAM, instant } from "../../core/ids.ts";
import { type Binding, Bindings } from "./bindings.ts";

const TASK = { id: asTaskId(1), createdAt: instant(5) };
const COMMIT = "a".repeat(40);
const GOOD: Binding = {
  path: `api/1-${"fix".repeat(25)}`,
  branch: "ekiden/api/1-fix",
  target: "feature/x",
  kept: false,
  landing: COMMIT,
};

function folder(): string {
  const made = realpathSync(mkdtempSync(join(tmpdir(), "ekiden-bindings-")));
  onTestFinished(() => takeAway(made));
  return made;
}

it.each<[string, object | null]>([
  ["a path that leads outside", { path: "../../other" }],
  ["an absolute path", { path: "/etc" }],
  ["no path", { path: "" }],
  ["a path that is no text", { path: ["1-fix"] }],
  ["a branch of the person", { branch: "main" }],
  ["a branch that leads elsewhere", { branch: "ekiden/../main" }],
  ["a target that is an option", { target: "--upload-pack=x" }],
  ["a target that is a range", { target: "main..other" }],
  ["a landing that is an option", { landing: "--output=x" }],
  ["a parked commit that is none", { parked: "HEAD" }],
  ["an attempt that is not a number", { attempt: "1" }],
  ["an earlier landing that is an option", { landingsBefore: ["--output=x"] }],
  ["no object", null],
])("does not believe a note with %s", (_, change) => {
  const root = folder();
  const bindings = new Bindings(root, DEFAULT_TEAM);
  bindings.write(TASK, GOOD);
  expect(bindings.read(TASK)).toEqual(GOOD);
  bindings.write(TASK, (change && { ...GOOD, ...change }) as Binding);
  expect(bindings.read(TASK)).toBe(null);
});

it("does not believe a note about a link", () => {
  const [root, outside] = [folder(), folder()];
  const bindings = new Bindings(root, DEFAULT_TEAM);
  bindings.write(TASK, GOOD);
  mkdirSync(join(outside, "1-fix"));
  symlinkSync(outside, join(root, "api"));
  expect(bindings.read(TASK)).toBe(null);
});

it.each(["worktrees", "worktrees/.tasks"])("refuses a link in the place of %s", (name) => {
  const [project, outside] = [folder(), folder()];
  if (name !== "worktrees") mkdirSync(join(project, "worktrees"));
  symlinkSync(outside, join(project, name));
  writeFileSync(join(outside, "kept"), "x");
  expect(() => new Bindings(join(project, "worktrees"), DEFAULT_TEAM)).toThrow(
    /is a symbolic link.*Remove the link/,
  );
  expect(readFileSync(join(outside, "kept"), "utf8")).toBe("x");
});

it("keeps the landings that earlier owners were about to make, and does not hold an owner's own against it", () => {
  const bindings = new Bindings(folder(), DEFAULT_TEAM);
  const [one, two, three] = ["1", "2", "3"].map((digit) => digit.repeat(40)) as [string, string, string];
  bindings.write(TASK, { ...GOOD, landing: null });
  bindings.willLand(TASK, GOOD, one, 1);
  bindings.willLand(TASK, GOOD, two, 1);
  expect(bindings.landingsBefore(TASK, 1)).toEqual([]);
  expect(bindings.landingsBefore(TASK, 2)).toEqual([two]);
  bindings.willLand(TASK, GOOD, three, 2);
  expect(bindings.landingsBefore(TASK, 2)).toEqual([two]);
  expect(bindings.landingsBefore(TASK, 3)).toEqual([two, three]);
});
