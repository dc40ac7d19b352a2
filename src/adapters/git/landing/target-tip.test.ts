import { join } from "node:path";
import { expect, it } from "vitest";
import { repository } from "../../../../test/fixtures/repository.ts";
import { Git } from "../git.ts";
import { TargetTip } from "./target-tip.ts";

it("never leads back to a commit that the branch had before, when somebody packs it", async () => {
  const repo = repository({ "a.txt": "a\n" });
  const git = new Git({ PATH: process.env.PATH ?? "", HOME: repo.dir }, null);
  const where = { git, project: repo.dir, commonDir: join(repo.dir, ".git"), ref: "refs/heads/main" };
  const tip = new TargetTip(where);
  repo.git("pack-refs", "--all");
  const first = await tip.read();
  repo.write({ "a.txt": "b\n" });
  repo.commit("second");
  const second = await tip.read();
  expect(second).not.toBe(first);
  repo.git("pack-refs", "--all");
  expect(await tip.read(60_000)).toBe(second);
});
