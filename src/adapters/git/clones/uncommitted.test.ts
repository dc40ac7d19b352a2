/** The state of a work tree: names of all bytes, and branches that somebody has damaged. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { repository } from "../../../../test/fixtures/repository.ts";
import { Git } from "../git.ts";
import { addAll, workState } from "./uncommitted.ts";

it("adds files under their names byte for byte, also where these are no UTF-8", async () => {
  const repo = repository({ "a.txt": "a\n" });
  const names = [Buffer.from([0xff, 0xfe, 0x2e, 0x63]), Buffer.from("über.txt"), Buffer.from("a b\n.txt")];
  for (const name of names) writeFileSync(Buffer.concat([Buffer.from(`${repo.dir}/`), name]), "x\n");
  repo.git("checkout", "--quiet", "-b", "für/mich");
  const git = new Git({ PATH: process.env.PATH ?? "", HOME: repo.dir }, null);
  const { paths, branch } = await workState(git, repo.dir);
  expect(branch).toBe("für/mich");
  expect(await addAll(git, repo.dir, paths)).toMatchObject({ code: 0 });
  const added = execFileSync("git", ["ls-files", "-z"], { cwd: repo.dir });
  for (const name of names) expect(added.includes(Buffer.concat([name, Buffer.from([0])]))).toBe(true);
});

it.each([
  ["its own name", "ref: refs/heads/main\n"],
  ["no commit", "garbage\n"],
])("names no branch whose file holds %s", async (_, text) => {
  const repo = repository({ "a.txt": "a\n" });
  writeFileSync(join(repo.dir, ".git/refs/heads/main"), text);
  const git = new Git({ PATH: process.env.PATH ?? "", HOME: repo.dir }, null);
  expect(await workState(git, repo.dir)).toMatchObject({ branch: null });
});
