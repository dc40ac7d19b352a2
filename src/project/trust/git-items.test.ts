/** What git of a project would run is shown before the person agrees to it, wherever its repository is. */

import { join } from "node:path";
import { expect, it } from "vitest";
import { type Repository, repository } from "../../../test/fixtures/repository.ts";
import { gitItems, repositoryOf } from "./items.ts";

function withPrograms(): Repository {
  const repo = repository({ "in/a.txt": "a\n" });
  repo.git("config", "filter.x.clean", "redact");
  repo.write({ ".git/hooks/pre-commit": "#!/bin/sh\n" });
  return repo;
}
const shown = (folder: string): string =>
  gitItems(folder)
    .parts.map(({ text }) => text)
    .join("\n");

it("shows them in the folder with .git, and in one below it", () => {
  const repo = withPrograms();
  for (const folder of [repo.dir, join(repo.dir, "in")])
    expect(shown(folder)).toMatch(/clean = redact\n.*git hook .*pre-commit/s);
  expect(gitItems(join(repo.dir, "in")).whole.digest).toBe(gitItems(repo.dir).whole.digest);
});

it("shows them in a worktree that the person made", () => {
  const repo = withPrograms();
  const beside = join(repo.dir, "beside");
  repo.git("worktree", "add", "--quiet", "-b", "beside", beside);
  expect(shown(beside)).toMatch(/clean = redact\n.*git hook .*pre-commit/s);
});

it("shows those of a submodule, and not those of the repository around it", () => {
  const [inner, repo] = [repository({ "i.txt": "i\n" }), repository({ "a.txt": "a\n" })];
  repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.dir, "sub");
  repo.git("config", "filter.outer.clean", "outer");
  repo.git("-C", join(repo.dir, "sub"), "config", "filter.x.clean", "redact");
  expect(shown(join(repo.dir, "sub"))).toContain("clean = redact");
  expect(shown(join(repo.dir, "sub"))).not.toContain("outer");
});

it("does not take an empty folder for a repository, as git does not", () => {
  const repo = withPrograms();
  repo.write({ "in/.git/kept": "" });
  expect(repo.git("-C", join(repo.dir, "in"), "rev-parse", "--show-toplevel").trim()).toBe(repo.dir);
  expect(repositoryOf(join(repo.dir, "in"))).toEqual({ top: repo.dir, dirs: [join(repo.dir, ".git")] });
  expect(shown(join(repo.dir, "in"))).toContain("clean = redact");
});
