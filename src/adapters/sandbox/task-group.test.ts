/** The kernel refuses processes of root beyond a number, where a control group can be made, and the group goes with its process. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { PLACE } from "../process-identity.ts";
import { parentIn, TaskGroup } from "./task-group.ts";

/** Starts 200 processes at most, without a pause. */
const BURST =
  "for (1..200) { my $p = fork; last unless defined $p; if (!$p) { sleep 60; exit } push @p, $p } print scalar @p; kill 9, @p";
const burst = (join: readonly string[]): number => {
  const [file = "", ...args] = [...join, "perl", "-e", BURST];
  return Number(spawnSync(file, args, { encoding: "utf8" }).stdout);
};

function place(files: Readonly<Record<string, string>>): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "ekiden-groups-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

it("lets no more processes begin than it holds, and is gone afterwards", async () => {
  const group = TaskGroup.make(50);
  // Null for other users, and where nobody may make one.
  const begun = burst(group?.join ?? []);
  await group?.close();
  expect(begun).toBe(group ? 49 : 200);
  expect(existsSync(dirname(group?.join[3] ?? "/none/x"))).toBe(false);
});

it("starts a program also when the group has been removed", async () => {
  const group = TaskGroup.make(50);
  await group?.close();
  const [file = "", ...args] = [...(group?.join ?? []), "/bin/echo", "on"];
  expect(spawnSync(file, args, { encoding: "utf8" })).toMatchObject({ stdout: "on\n", stderr: "" });
});

it("removes the group of a process that is gone, and keeps going where none can be made", () => {
  const old = `pids/ekiden-${PLACE}.999999999.1-abc`;
  const root = place({ "pids/tasks": "" });
  mkdirSync(join(root, old));
  // In this folder no file appears by itself.
  expect(TaskGroup.make(50, root)).toBe(null);
  expect(existsSync(join(root, old))).toBe(process.getuid?.() !== 0);
});

it("is made where processes are counted", () => {
  const own = "9:name=systemd:/\n8:pids:/a/b\n0::/c\n";
  const first = place({ "pids/a/b/tasks": "" });
  expect(parentIn(first, own)).toBe(join(first, "pids/a/b"));
  // A container sees the path of its host.
  expect(parentIn(place({ "pids/tasks": "" }), own)).toMatch(/\/pids$/);
  expect(parentIn(place({}), own)).toBe(null);
  const second = place({ "s/cgroup.subtree_control": "memory pids\n", "cgroup.subtree_control": "cpu\n" });
  expect(parentIn(second, "0::/s/x.scope\n")).toBe(join(second, "s"));
  expect(parentIn(second, "0::/s\n")).toBe(null);
  expect(parentIn(second, "")).toBe(null);
});
