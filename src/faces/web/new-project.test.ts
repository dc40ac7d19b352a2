import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { canBecomeRepository, keepPlan, makeRepository } from "./new-project.ts";

const folder = (): string => mkdtempSync(join(tmpdir(), "ekiden-new-"));
const PLAN = "# Über the hill!\n## Go\n```sh\ntrue\n```\n";

it("makes a repository of an empty folder only", async () => {
  const cwd = folder();
  writeFileSync(join(cwd, "plan.md"), PLAN);
  expect(await canBecomeRepository(cwd)).toBe(true);
  await makeRepository(cwd);
  expect(execFileSync("git", ["log", "--format=%s"], { cwd, encoding: "utf8" })).toBe("Begin\n");
  expect(await canBecomeRepository(cwd)).toBe(false);
  const inner = join(cwd, "inner");
  mkdirSync(inner);
  expect(await canBecomeRepository(inner)).toBe(false);
  const full = folder();
  writeFileSync(join(full, ".env"), "KEY=1");
  await expect(makeRepository(full)).rejects.toThrow("is not empty");
});

it("keeps a plan under the name of its goal, and overwrites nothing", () => {
  const cwd = folder();
  expect(keepPlan(cwd, PLAN)).toBe("uber-the-hill.md");
  expect(keepPlan(cwd, PLAN)).toBe("uber-the-hill.md");
  expect(keepPlan(cwd, PLAN.replace("true", "false"))).toBe("uber-the-hill-2.md");
  expect(readFileSync(join(cwd, "uber-the-hill.md"), "utf8")).toBe(PLAN);
  symlinkSync("/nowhere/at/all", join(cwd, "plan.md"));
  expect(keepPlan(cwd, "# 道\n## Go\n")).toBe("plan-2.md");
  expect(() => keepPlan(cwd, "# Nothing to do\n")).toThrow("there are no tasks");
});
