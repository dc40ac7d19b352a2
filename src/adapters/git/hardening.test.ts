/** Own git in a repository that the person has not agreed to: nothing that it configures runs. Each case runs where it is trusted. */
import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { repository } from "../../../test/fixtures/repository.ts";
import { Git } from "./git.ts";

type Case = {
  readonly name: string;
  readonly config: readonly (readonly [string, string])[];
  readonly files?: Readonly<Record<string, string>>;
  readonly runs: readonly string[];
};

const PROGRAM = "$DIR/.git/evil";
const CASES: readonly Case[] = [
  { name: "a file monitor", config: [["core.fsmonitor", PROGRAM]], runs: ["status"] },
  {
    name: "a clean filter",
    config: [["filter.x.clean", PROGRAM]],
    files: { ".gitattributes": "* filter=x\n", "a.txt": "changed\n" },
    runs: ["add", "a.txt"],
  },
  {
    name: "a filter of the configuration of the worktree",
    config: [
      ["extensions.worktreeConfig", "true"],
      ["--worktree filter.x.clean", PROGRAM],
    ],
    files: { ".gitattributes": "* filter=x\n", "a.txt": "changed\n" },
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
    runs: ["add", "a.txt"],
  },
  {
    name: "hooks",
    config: [["core.hooksPath", "$DIR/.git/own"]],
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
    name: "a text conversion",
    config: [["diff.x.textconv", PROGRAM]],
    files: { ".gitattributes": "* diff=x\n", "a.txt": "changed\n" },
    runs: ["diff"],
  },
];

it.each(CASES.map((one) => [one.name, one] as const))("runs %s only where it is trusted", async (_, one) => {
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
    const identity = {
      GIT_AUTHOR_NAME: "a",
      GIT_AUTHOR_EMAIL: "a@b",
      GIT_COMMITTER_NAME: "a",
      GIT_COMMITTER_EMAIL: "a@b",
    };
    const env = { PATH: process.env.PATH ?? "", HOME: repo.dir, GIT_CONFIG_NOSYSTEM: "1", ...identity };
    await new Git(env, trusted).try(repo.dir, ...one.runs);
    expect({ trusted, ran: existsSync(join(repo.dir, ".git/CANARY")) }).toEqual({ trusted, ran: trusted });
  }
});
