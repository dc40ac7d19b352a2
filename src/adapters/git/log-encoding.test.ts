/** A landing reads git's log by lines; the configuration of a repository may want it in an encoding in which these are no lines. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { landing, openTrees } from "../../../test/fixtures/landing-trees.ts";
import { programFolder } from "../../../test/fixtures/program-folder.ts";
import { repository } from "../../../test/fixtures/repository.ts";
import { createShell } from "../shell/index.ts";

it("keeps the commits of others on a target that is not checked out, also where git writes its log in UTF-16", async () => {
  const repo = repository({ "a.txt": "a\n" });
  repo.git("branch", "release");
  const shell = createShell({ outputDir: join(repo.dir, ".ekiden", "output") });
  onTestFinished(() => shell.close());
  const trees = await openTrees(repo.dir, shell, { target: "release" });
  const which = landing.task(1);
  const { workspace } = await trees.open(which);
  const theirs = repo.git("commit-tree", "-p", "main", "-m", "Theirs", "main^{tree}");
  repo.git("update-ref", "refs/heads/release", theirs);
  repo.git("-C", workspace, "commit", "--quiet", "--allow-empty", "--message", "Mine");
  repo.git("config", "i18n.logOutputEncoding", "UTF-16");
  expect(await trees.land(which, landing.by)).toMatchObject({ kind: "landed" });
  repo.git("config", "--unset", "i18n.logOutputEncoding");
  expect(repo.git("log", "--format=%s", "release").split("\n")).toEqual(["Mine", "Theirs", "First"]);
});

it("moves no target where git's answer about the commits of others cannot be read", async () => {
  const repo = repository({ "a.txt": "a\n" });
  repo.git("branch", "release");
  const shell = createShell({ outputDir: join(repo.dir, ".ekiden", "output") });
  onTestFinished(() => shell.close());
  const git = execFileSync("/bin/sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  const odd = `case " $* " in *" --left-right "*) echo "gpg: Signature made"; exit;; esac\nexec ${git} "$@"`;
  const path = `${programFolder("git", odd)}:${process.env.PATH ?? ""}`;
  const trees = await openTrees(repo.dir, shell, { target: "release" }, path);
  const { workspace } = await trees.open(landing.task(1));
  repo.git("-C", workspace, "commit", "--quiet", "--allow-empty", "--message", "Mine");
  await expect(trees.land(landing.task(1), landing.by)).rejects.toThrow(/what cannot be read: gpg/);
  expect(repo.git("log", "--format=%s", "release")).toBe("First");
});
