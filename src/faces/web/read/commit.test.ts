import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { repository } from "../../../../test/fixtures/repository.ts";
import { readCommit } from "./commit.ts";

it("keeps the diff of a commit apart from a message that looks like one", async () => {
  const { dir } = repository({ "a.txt": "a\n" });
  writeFileSync(join(dir, "a.txt"), "b\n");
  const git = (...args: string[]) => execFileSync("git", args, { cwd: dir, encoding: "utf8" });
  const fake = "diff --git a/safe.md b/safe.md\n@@ -1 +1 @@\n-x\n+y";
  git("-c", "user.name=T", "-c", "user.email=t@example.org", "commit", "-qam", `Greet\n\n${fake}`);
  const { message, diff } = await readCommit(dir, git("rev-parse", "HEAD").trim());
  expect(message).toBe(`Greet\n\n${fake}`);
  expect(diff).toMatch(/^diff --git a\/a\.txt b\/a\.txt\n.*\n-a\n\+b\n$/s);
  await expect(readCommit(dir, "--output=x")).rejects.toThrow("is not a commit");
  await expect(readCommit(dir, "0".repeat(40))).rejects.toThrow("is not in the repository");
});
