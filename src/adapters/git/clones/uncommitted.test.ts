/** The state of a work tree whose branch somebody has damaged. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { repository } from "../../../../test/fixtures/repository.ts";
import { Git } from "../git.ts";
import { workState } from "./uncommitted.ts";

it.each([
  ["its own name", "ref: refs/heads/main\n"],
  ["no commit", "garbage\n"],
])("names no branch whose file holds %s", async (_, text) => {
  const repo = repository({ "a.txt": "a\n" });
  writeFileSync(join(repo.dir, ".git/refs/heads/main"), text);
  const git = new Git({ PATH: process.env.PATH ?? "", HOME: repo.dir }, null);
  expect(await workState(git, repo.dir)).toMatchObject({ branch: null });
});
