/** What a person meets who starts `ekiden forge` with something missing: one message that says what to do. */
import { execFileSync } from "node:child_process";
import { expect, it, onTestFinished } from "vitest";
import { gitlabEmulator, scope } from "../../fixtures/forge/gitlab.ts";
import { githubEmulator } from "../../fixtures/forge/index.ts";
import { repositoryIn } from "../../fixtures/repository.ts";
import { Project } from "../cli-program.ts";

it("names the remote that is missing, and ends at once where the token is not accepted", async () => {
  const forge = await githubEmulator();
  onTestFinished(() => forge.close());
  forge.token("right", "ekiden-robot", { permission: "write" });
  const project = new Project();
  onTestFinished(() => project.end());
  const { git } = repositoryIn(project.dir, { ".gitignore": ".ekiden/\n" });
  const at = {
    GITHUB_API_URL: forge.url,
    GITHUB_GRAPHQL_URL: `${forge.url}/graphql`,
    ANTHROPIC_API_KEY: "none",
  };
  const add = /git remote add origin https?:\/\/\S+\.git/;
  const env = { ...at, GITHUB_TOKEN: "right" };
  expect((await project.run(["doctor", "--forge"], { env })).stdout).toMatch(add);
  project.write({ ".ekiden/settings.json": JSON.stringify({ forge: forge.repo, sandbox: "off" }) });
  expect((await project.run(["doctor", "--forge"], { env })).stdout).toMatch(add);
  git("remote", "add", "origin", forge.git.dir);
  git("fetch", "--quiet", "origin");
  git("reset", "--quiet", "--hard", "origin/main");
  expect((await project.run(["doctor", "--forge"], { env })).stdout).not.toMatch(add);
  const { code, stderr } = await project.run(["forge"], { env: { ...at, GITHUB_TOKEN: "wrong" } });
  expect(code).toBe(2);
  expect(stderr.match(/does not accept the token \(401\)/g)).toHaveLength(1);
});

it("names each flag that is wrong before it looks at anything", async () => {
  const project = new Project();
  onTestFinished(() => project.end());
  const { code, stderr } = await project.run(["forge", "--repo", "octo", "--webhook", "70000"]);
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/--repo is "octo"[\s\S]*--webhook is "70000": .*a port/),
  ]);
  expect(stderr).not.toMatch(/No model|remote add/);
  const above = await project.run(["forge", "--repo", "a/.."]);
  expect([above.code, above.stderr]).toEqual([2, expect.stringMatching(/--repo is "a\/\.\."/)]);
});

it("offers no way without worktrees where the repository has no commit: a forge needs them", async () => {
  const project = new Project();
  onTestFinished(() => project.end());
  execFileSync("git", ["init", "--quiet", project.dir]);
  const env = { GITHUB_TOKEN: "none", ANTHROPIC_API_KEY: "none" };
  const { code, stderr } = await project.run(["forge", "--repo", "acme/widgets"], { env });
  expect([code, stderr]).toEqual([2, expect.stringMatching(/has no commit yet/)]);
  expect(stderr).not.toContain("--no-worktrees");
});

it("says what a token may do at a GitLab, and that one that only reads is not enough", async () => {
  const forge = await gitlabEmulator();
  onTestFinished(() => forge.close());
  const project = new Project();
  onTestFinished(() => project.end());
  const env = { GITLAB_API_URL: forge.api, GITLAB_TOKEN: "secret" };
  project.write({ ".ekiden/settings.json": JSON.stringify({ forge: "acme/widgets", sandbox: "off" }) });
  const said = async () => (await project.run(["doctor", "--forge"], { env })).stdout;
  expect(await said()).toMatch(/GITLAB_TOKEN[\s\S]*robot[\s\S]*write: it opens and merges/);
  scope.now = "read_api";
  onTestFinished(() => {
    scope.now = "api";
  });
  expect(await said()).toMatch(/rights +read only/);
});
