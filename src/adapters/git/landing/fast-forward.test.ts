import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { IMPATIENT, programFolder } from "../../../../test/fixtures/program-folder.ts";
import { repository } from "../../../../test/fixtures/repository.ts";
import { Git, type Limits, type Ran } from "../git.ts";
import { fastForward } from "./fast-forward.ts";

it.each(["checked out", "not checked out"])(
  "moves the target only from the commit that the gate has seen: %s",
  async (where) => {
    const repo = repository({ "a.txt": "a\n" });
    const first = repo.git("rev-parse", "HEAD");
    for (const text of ["from", "to"]) {
      repo.write({ "a.txt": `${text}\n` });
      repo.commit(text);
    }
    const [to, from] = [repo.git("rev-parse", "HEAD"), repo.git("rev-parse", "HEAD~1")];
    repo.git("reset", "--quiet", "--hard", from);
    if (where === "not checked out") repo.git("switch", "--quiet", "--create", "other");
    const move = () =>
      fastForward(
        {
          git: new Git({ PATH: process.env.PATH ?? "", HOME: repo.dir }, null),
          commonDir: join(repo.dir, ".git"),
          root: repo.dir,
          target: "main",
          signal: new AbortController().signal,
        },
        from,
        to,
      );
    // The person takes a commit away. It could be moved forward over that, but must not.
    repo.git(
      ...(where === "checked out"
        ? ["reset", "--quiet", "--hard", first]
        : ["branch", "--force", "main", first]),
    );
    expect(await move()).toBe("raced");
    expect(repo.git("rev-parse", "main")).toBe(first);
    repo.git(
      ...(where === "checked out"
        ? ["reset", "--quiet", "--hard", from]
        : ["branch", "--force", "main", from]),
    );
    expect(await move()).toBe("moved");
    expect(repo.git("rev-parse", "main")).toBe(to);
  },
);

it.each(["index", "HEAD", "refs/heads/main"])("waits for the lock of another git: %s", async (locked) => {
  const repo = repository({ "a.txt": "a\n" });
  const from = repo.git("rev-parse", "HEAD");
  repo.write({ "a.txt": "to\n" });
  repo.commit("to");
  const to = repo.git("rev-parse", "HEAD");
  repo.git("reset", "--quiet", "--hard", from);
  const lock = join(repo.dir, ".git", `${locked}.lock`);
  writeFileSync(lock, "");
  let failures = 0;
  class Watched extends Git {
    override async tryWith(limits: Limits, cwd: string, ...args: string[]): Promise<Ran> {
      const ran = await super.tryWith(limits, cwd, ...args);
      if (args[0] === "merge" && ran.code !== 0 && ++failures === 2) rmSync(lock);
      return ran;
    }
  }
  const PATH = process.env.PATH ?? "";
  // The next git in the path is the one of the machine.
  const bin = programFolder("git", `${IMPATIENT}\nPATH='${PATH}' exec git "$@"`);
  const git = new Watched({ PATH: `${bin}:${PATH}`, HOME: repo.dir }, null);
  const place = { commonDir: join(repo.dir, ".git"), root: repo.dir, target: "main" };
  expect(await fastForward({ git, ...place, signal: new AbortController().signal }, from, to)).toBe("moved");
  expect(failures).toBe(2);
});
