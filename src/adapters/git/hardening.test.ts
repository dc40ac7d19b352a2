/** Own git in a repository that the person has not agreed to: nothing that it configures runs. Each case runs where it is trusted. */
import { chmodSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { repository } from "../../../test/fixtures/repository.ts";
import { outsideProgram } from "../outside-programs.ts";
import { findProgram } from "../sandbox/bubblewrap.ts";
import { addAll, workState } from "./clones/uncommitted.ts";
import { Git, type Ran } from "./git.ts";

type Case = {
  readonly name: string;
  readonly config: readonly (readonly [string, string])[];
  readonly files?: Readonly<Record<string, string>>;
  readonly runs: readonly string[];
  /** It runs where the person agreed to it. */
  readonly agreed?: true;
  /** A file whose object is removed. */
  readonly missing?: string;
};

const envIn = (dir: string) => ({
  PATH: process.env.PATH ?? "",
  HOME: dir,
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@b",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@b",
});

const PROGRAM = "$DIR/.git/evil";
const CASES: readonly Case[] = [
  { name: "a file monitor", config: [["core.fsmonitor", PROGRAM]], runs: ["status"] },
  {
    name: "a clean filter",
    config: [["filter.x.clean", PROGRAM]],
    files: { ".gitattributes": "* filter=x\n", "a.txt": "changed\n" },
    agreed: true,
    runs: ["add", "a.txt"],
  },
  {
    name: "a filter of the configuration of the worktree",
    config: [
      ["extensions.worktreeConfig", "true"],
      ["--worktree filter.x.clean", PROGRAM],
    ],
    files: { ".gitattributes": "* filter=x\n", "a.txt": "changed\n" },
    agreed: true,
    runs: ["add", "a.txt"],
  },
  {
    name: "a filter of an included file",
    config: [["include.path", "../more"]],
    files: {
      more: `[filter "x"]\n\tclean = ${PROGRAM}\n`,
      ".gitattributes": "* filter=x\n",
      "a.txt": "changed\n",
    },
    agreed: true,
    runs: ["add", "a.txt"],
  },
  {
    name: "a clean filter whose name has the sign that ends a key",
    config: [["filter.x=y.clean", PROGRAM]],
    files: { ".gitattributes": "* filter=x=y\n", "a.txt": "changed\n" },
    runs: ["add", "a.txt"],
  },
  {
    name: "hooks",
    config: [["core.hooksPath", "$DIR/.git/own"]],
    agreed: true,
    runs: ["commit", "--allow-empty", "-m", "x"],
  },
  {
    name: "a program for signatures",
    config: [
      ["gpg.program", PROGRAM],
      ["commit.gpgSign", "true"],
    ],
    runs: ["commit", "--allow-empty", "-m", "x"],
  },
  {
    name: "a command for the signing key",
    config: [
      ["gpg.format", "ssh"],
      ["gpg.ssh.defaultKeyCommand", PROGRAM],
      ["commit.gpgSign", "true"],
    ],
    runs: ["commit", "--allow-empty", "-m", "x"],
  },
  {
    name: "an upload program of a remote",
    config: [
      ["remote.x.url", "$DIR"],
      ["remote.x.uploadpack", PROGRAM],
    ],
    runs: ["fetch", "x"],
  },
  {
    name: "a remote that is a command",
    config: [
      ["remote.x.url", `ext::${PROGRAM}`],
      ["protocol.ext.allow", "always"],
    ],
    runs: ["fetch", "x"],
  },
  {
    name: "a proxy of git's own protocol",
    config: [
      ["remote.x.url", "git://127.0.0.1:9/a"],
      ["core.gitProxy", PROGRAM],
    ],
    runs: ["fetch", "x"],
  },
  {
    name: "an upload program that a missing object needs",
    config: [
      ["core.repositoryFormatVersion", "1"],
      ["extensions.partialClone", "x"],
      ["remote.x.promisor", "true"],
      ["remote.x.url", "$DIR"],
      ["remote.x.uploadpack", PROGRAM],
    ],
    missing: "a.txt",
    runs: ["cat-file", "-p", "HEAD:a.txt"],
  },
  {
    name: "a text conversion",
    config: [["diff.x.textconv", PROGRAM]],
    files: { ".gitattributes": "* diff=x\n", "a.txt": "changed\n" },
    runs: ["diff"],
  },
];

it.each(CASES.map((one) => [one.name, one] as const))(
  "runs %s only where it was agreed to",
  async (_, one) => {
    for (const trusted of [false, true]) {
      const repo = repository({ "a.txt": "a\n" });
      const placed = (text: string): string => text.replaceAll("$DIR", repo.dir);
      const script = `#!/bin/sh\ntouch ${repo.dir}/.git/CANARY\nexit 1\n`;
      repo.write({ ".git/evil": script, ".git/own/pre-commit": script });
      for (const file of ["evil", "own/pre-commit"]) chmodSync(join(repo.dir, ".git", file), 0o755);
      for (const [key, value] of one.config) repo.git("config", ...key.split(" "), placed(value));
      repo.write(
        Object.fromEntries(Object.entries(one.files ?? {}).map(([path, text]) => [path, placed(text)])),
      );
      if (one.missing !== undefined) {
        const id = repo.git("rev-parse", `HEAD:${one.missing}`).trim();
        rmSync(join(repo.dir, ".git/objects", id.slice(0, 2), id.slice(2)));
      }
      await new Git(envIn(repo.dir), null, trusted).try(repo.dir, ...one.runs);
      expect({ trusted, ran: existsSync(join(repo.dir, ".git/CANARY")) }).toEqual({
        trusted,
        ran: trusted && one.agreed === true,
      });
    }
  },
);

/** The git of this machine may be older than such hooks (2.54), which `core.hooksPath` does not concern. */
it("turns hooks of the configuration off", async () => {
  const repo = repository({ "a.txt": "a\n" });
  repo.git("config", "hook.x=y.command", "touch CANARY");
  repo.git("config", "hook.z.event", "pre-commit");
  for (const trusted of [false, true]) {
    const git = new Git(envIn(repo.dir), null, trusted);
    for (const key of ["hook.x=y.enabled", "hook.z.enabled"])
      expect(await git.run(repo.dir, "config", "--get", key)).toBe("false");
  }
});

/** As `npx` and `npm run` set PATH in the folder of a package, in a repository that brings `node_modules`. */
it.each(["node_modules/.bin", "packages/one/node_modules/.bin", "packages/one/bin"])(
  "runs no git of %s in the repository",
  async (folder) => {
    const repo = repository({ "packages/one/a.txt": "a\n" });
    repo.write({ [`${folder}/git`]: `#!/bin/sh\ntouch ${repo.dir}/CANARY\n` });
    chmodSync(join(repo.dir, folder, "git"), 0o755);
    const env = envIn(repo.dir);
    const path = `${join(repo.dir, folder)}:${env.PATH}`;
    const git = new Git({ ...env, PATH: path }, null);
    expect(await git.ask(join(repo.dir, "packages/one"), "rev-parse", "--show-prefix")).toBe("packages/one/");
    expect(existsSync(join(repo.dir, "CANARY"))).toBe(false);
    expect(outsideProgram("git", path, join(repo.dir, "packages/one"))).not.toContain(repo.dir);
    expect(findProgram("git", path, [join(repo.dir, "packages/one")])?.path).not.toContain(repo.dir);
  },
);

const addEverything = async (git: Git, dir: string): Promise<Ran> =>
  await addAll(git, dir, (await workState(git, dir)).paths);

/** A repository in the repository is a member's own: it can write its configuration in the sandbox, so nothing there ever runs. */
it.each([
  ["status"],
  ["status --porcelain --untracked-files=all"],
  ["diff --quiet HEAD"],
  ["diff --no-color --no-ext-diff"],
  ["diff --quiet"],
  ["diff --submodule=diff"],
  ["addAll"],
  ["commit --allow-empty -m x"],
  ["reset --quiet HEAD -- a.txt"],
  ["checkout --quiet --detach HEAD"],
  ["rebase HEAD~1"],
  ["merge --ff-only --quiet HEAD"],
  ["worktree list"],
])("runs nothing of a repository in the repository: git %s", async (line) => {
  for (const trusted of [false, true]) {
    const repo = repository({ "a.txt": "a\n" });
    const canary = join(repo.dir, ".git/CANARY");
    const evil = `touch ${canary}; cat`;
    repo.write({ "sub/b.txt": "b\n", "sub/.gitattributes": "* filter=x diff=x\n" });
    const sub = ["-C", join(repo.dir, "sub")];
    repo.git(...sub, "init", "--quiet");
    repo.git(...sub, "add", "--all");
    repo.git(...sub, "commit", "--quiet", "-m", "sub");
    repo.write({ ".gitmodules": '[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n\tignore = none\n' });
    repo.git("add", "--all");
    repo.git("commit", "--quiet", "-m", "link");
    for (const key of [
      "core.fsmonitor",
      "filter.x.clean",
      "filter.x.smudge",
      "diff.x.textconv",
      "diff.external",
    ])
      repo.git(...sub, "config", key, evil);
    repo.write({ "sub/b.txt": "c\n" });
    const git = new Git(envIn(repo.dir), null, trusted);
    await (line === "addAll" ? addEverything(git, repo.dir) : git.try(repo.dir, ...line.split(" ")));
    expect({ trusted, ran: existsSync(canary) }).toEqual({ trusted, ran: false });
  }
});

it("adds what git add --all adds", async () => {
  const trees = await Promise.all(
    ["addAll", "add"].map(async (how) => {
      const repo = repository({
        "a.txt": "a\n",
        "b.txt": "b\n",
        "d/c.txt": "c\n",
        "e/f.txt": "f\n",
        g: "g\n",
      });
      repo.git("switch", "--quiet", "-c", "other");
      repo.write({ "in conflict": "theirs\n" });
      repo.commit("theirs");
      repo.git("switch", "--quiet", "main");
      repo.write({ "in conflict": "ours\n" });
      repo.commit("ours");
      expect(() => repo.git("merge", "--quiet", "other")).toThrow();
      const sub = ["-C", join(repo.dir, "sub")];
      repo.write({ "a.txt": "changed\n", "new é\n.txt": "n\n", "h/i/j.txt": "j\n", "sub/s.txt": "s\n" });
      repo.write({ ".gitignore": "*.log\n", "x.log": "x\n" });
      for (const gone of ["b.txt", "d", "g"]) rmSync(join(repo.dir, gone), { recursive: true });
      // A folder in the place of a file, and a file in the place of a folder.
      repo.write({ d: "a file\n", "g/in.txt": "in\n" });
      chmodSync(join(repo.dir, "e/f.txt"), 0o755);
      repo.git(...sub, "init", "--quiet");
      repo.git(...sub, "add", "--all");
      repo.git(...sub, "commit", "--quiet", "-m", "s");
      const git = new Git({ PATH: process.env.PATH ?? "", HOME: repo.dir }, null);
      const added =
        how === "add" ? await git.try(repo.dir, "add", "--all") : await addEverything(git, repo.dir);
      expect(added).toMatchObject({ code: 0 });
      return (await git.run(repo.dir, "ls-files", "--stage")).replace(/(160000) \w+/, "$1");
    }),
  );
  expect(trees[0]).toBe(trees[1]);
  expect(trees[0]).toContain("160000");
});
