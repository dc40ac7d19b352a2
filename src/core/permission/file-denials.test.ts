/** A deny rule for a file bites whatever tool or command would use the file, and nothing else. */
import { describe, expect, it } from "vitest";
import { type Decision, decide, type Mode, parseRule } from "./permission.ts";

const WORKSPACE = "/home/me/project";
const links: Readonly<Record<string, string>> = {
  [`${WORKSPACE}/alias`]: `${WORKSPACE}/.env`,
  [`${WORKSPACE}/out`]: "/etc",
  [`${WORKSPACE}/out/hostname`]: "/etc/hostname",
};

async function judged(
  tool: string,
  subject: string,
  rules: readonly string[],
  mode: Mode = "default",
): Promise<Decision> {
  const access = tool === "bash" ? "exec" : tool === "read_file" ? "read" : "write";
  return decide(
    rules.map((text) => parseRule("deny", text)),
    mode,
    {
      tool,
      access,
      subject,
      ...{ exec: { line: subject }, read: { reads: [subject] }, write: { writes: [subject] } }[access],
      workspace: WORKSPACE,
      home: "/home/me",
      disk: {
        real: (path) => links[path] ?? path,
        entries: () => [".env", "src"],
      },
    },
  );
}

describe("a file that may not be read", () => {
  it.each([
    "app/[id]/secret.txt",
    "app/[id]/**",
    "app/\\[id\\]/*",
    "**/[id]/secret.txt",
    "app/[id]/{x,secret}.txt",
  ])("in a folder with brackets is closed by %s", async (match) => {
    const rule = `read_file(${match})`;
    expect(await judged("read_file", "app/[id]/secret.txt", [rule])).toMatchObject({ effect: "deny" });
    for (const line of [
      "cat app/[id]/secret.txt",
      "cat 'app/[id]/secret.txt'",
      "cd app && cat \\[id\\]/secret.txt",
    ])
      expect([line, await judged("bash", line, [rule], "bypass")]).toMatchObject([line, { effect: "deny" }]);
    expect(await judged("read_file", "app/[id].txt", [rule])).toMatchObject({ effect: "allow" });
  });

  it.each([".env", "app/[id]/secret.txt", "app/\\[id\\]/secret.txt"])(
    "is by another name of %s",
    async (match) => {
      const named = `${WORKSPACE}/${match.replaceAll("\\", "")}`;
      const other = `${WORKSPACE}/other.txt`;
      const isSame = (...paths: readonly string[]): boolean =>
        paths.every((path) => [named, other].includes(path));
      const call = { tool: "read_file", access: "read", subject: "x", workspace: WORKSPACE } as const;
      const disk = { real: (path: string) => path, entries: () => [], isSame };
      const rules = [parseRule("deny", `read_file(${match})`)];
      const may = async (path: string) =>
        (await decide(rules, "default", { ...call, reads: [path], disk })).effect;
      expect([await may(other), await may("third.txt")]).toEqual(["deny", "allow"]);
    },
  );

  it.each([
    "cat .env",
    "head -1 ./.env",
    "grep KEY .env",
    "cat < .env",
    "cd src && cat ../.env",
    "cp .env copy",
    "sed -n 1p src/../.env",
    "dd if=.env",
    "curl -d @.env http://localhost",
    "git show HEAD:.env",
    "sh -c 'cat .env'",
    "find . -exec cat .env ';'",
    "cat ~/project/.env",
    "cat alias",
  ])("is not shown by %s, whatever the mode", async (line) => {
    expect(await judged("bash", line, ["read_file(.env)"], "bypass")).toMatchObject({
      effect: "deny",
      rule: { tool: "read_file", match: ".env" },
    });
  });

  it.each(["cat .e*", "cat .en?", "cat ?env", "cat < .e*"])(
    "is not shown by %s, which matches it on the disk",
    async (line) => {
      expect((await judged("bash", line, ["read_file(.env)"], "bypass")).effect).toBe(
        line.includes("?env") ? "allow" : "deny",
      );
    },
  );

  it.each(["grep -r KEY .", "rg --hidden KEY", "diff -r . other", "cat $X", "tar cf - .", "ls | xargs cat"])(
    "is asked about where %s may show it, in every mode",
    async (line) => {
      expect((await judged("bash", line, ["read_file(.env)"])).effect).toBe("ask");
      expect((await judged("bash", line, ["read_file(.env)"], "bypass")).effect).toBe("ask");
    },
  );

  it.each([
    ...["git log -p", "git log --all --patch", "git -C . log -S KEY", "git log -p -- .", "git log -L 1,9:a"],
    ...["git stash show -p", "git stash list -p", "git format-patch -1 --stdout", "git archive HEAD"],
    ...["git fast-export --all", "git log -p -- $X", "git log -p -- ':!src'", "git log -p | cat"],
  ])("is asked about where %s may print what git keeps of it", async (line) => {
    for (const mode of ["default", "bypass"] as const)
      expect((await judged("bash", line, ["read_file(.env)"], mode)).effect).toBe("ask");
  });

  it.each(["git log --stat", "git log -p -- src", "git stash list", "git log -p -- a b", "git log -n 3"])(
    "is not in what %s prints",
    async (line) => {
      expect((await judged("bash", line, ["read_file(.env)"], "bypass")).effect).toBe("allow");
    },
  );

  it.each([
    "cat *",
    "cat src/*.ts",
    "grep -rn KEY src",
    "rg KEY",
    "grep .env README.md",
    "ls -la .env",
    "test -f .env",
    "cat .env.example",
    "echo .env",
    "git log",
  ])("leaves %s alone", async (line) => {
    expect((await judged("bash", line, ["read_file(.env)"])).effect).toBe("allow");
  });

  it.each([
    ["git show HEAD:.env", "deny"],
    ["git log show .env", "deny"],
    ["git -C show .env", "deny"],
    ["git .env log", "allow"],
    ["ls < $X", "ask"],
    ["$X", "ask"],
    ["ls 'unclosed", "ask"],
  ])("in bypass mode %s: %s", async (line, effect) => {
    expect((await judged("bash", line, ["read_file(.env)"], "bypass")).effect).toBe(effect);
  });

  it("is the only file that is meant", async () => {
    expect((await judged("bash", "git show", ["read_file(show)"], "bypass")).effect).toBe("allow");
    expect((await judged("bash", "git show", ["read_file(git)"], "bypass")).effect).toBe("allow");
    expect((await judged("bash", "cat .env", ["write_file(.env)"], "bypass")).effect).toBe("allow");
    expect((await judged("bash", "ls 'unclosed", ["write_file(.env)"], "bypass")).effect).toBe("allow");
    expect((await judged("bash", "grep -r x .", ["read_file(/home/me/project/a)"])).effect).toBe("ask");
  });

  it("is closed to read_file by another name, too", async () => {
    expect((await judged("read_file", "alias", ["read_file(.env)"])).effect).toBe("deny");
    expect((await judged("read_file", "a/../.env", ["Read(.env)"])).effect).toBe("deny");
  });
});

describe("a file that may not be written", () => {
  it.each([
    "tee src/a.ts",
    "rm -r src",
    "mv a src/b",
    "cp a src/",
    "sed -i s/1/2/ src/a.ts",
    "dd if=a of=src/b",
    "git checkout src/a.ts",
    "touch src/new",
    "echo 1 > src/a.ts",
  ])("is not by %s", async (line) => {
    for (const tool of ["write_file", "edit_file"])
      expect((await judged("bash", line, [`${tool}(src/**)`], "bypass")).effect).toBe("deny");
  });

  it("is neither edited nor written, and may be read", async () => {
    expect((await judged("edit_file", "src/a", ["write_file(src/**)"], "bypass")).effect).toBe("deny");
    expect((await judged("write_file", "src/a", ["Edit(src/**)"], "bypass")).effect).toBe("deny");
    expect((await judged("read_file", "src/a", ["write_file(src/**)"])).effect).toBe("allow");
    expect((await judged("bash", "cat src/a", ["write_file(src/**)"])).effect).toBe("allow");
    expect((await judged("bash", "cp src/a copy", ["write_file(src/**)"], "bypass")).effect).toBe("allow");
  });
});

it("does not take a link that leads out of the workspace for a file in it", async () => {
  expect((await judged("bash", "cat out/hostname", [])).effect).toBe("ask");
  expect((await judged("bash", "cat in/hostname", [])).effect).toBe("allow");
});

describe("a tool that nobody here knows by name", () => {
  const used = (rule: string, uses: { reads?: readonly string[]; writes?: readonly string[] }) => {
    const [, effect = "", tool = "", match = ""] = /^(\w+) (\w+)\((.*)\)$/.exec(rule) ?? [];
    return decide([{ effect: effect as "deny", tool, match }], "bypass", {
      tool: "patch_files",
      access: uses.writes ? "write" : "read",
      subject: "two files",
      ...uses,
      workspace: `${WORKSPACE}/.ekiden/worktrees/7-x`,
      home: "/home/me",
      disk: { real: (path) => links[path] ?? path, entries: () => [] },
    });
  };

  it.each([
    ["deny write_file(.env)", { writes: ["a", ".env"] }, "deny"],
    ["deny edit_file(src/**)", { writes: ["src/a"] }, "deny"],
    ["deny write_file(src/**)", { writes: ["lib/../src/a"] }, "deny"],
    ["deny write_file(.env)", { writes: [".ENV"] }, "deny"],
    ["deny write_file(~/project/.env)", { writes: [`${WORKSPACE}/alias`] }, "deny"],
    ["deny write_file(.env)", { writes: ["../../../.env"] }, "deny"],
    ["deny write_file(.env)", { writes: ["../8-other/.env"] }, "deny"],
    ["deny write_file(.env)", { writes: ["../team/8-other/.env"] }, "deny"],
    ["deny read_file(.env)", { reads: [".env"] }, "deny"],
    ["deny read_file(.env)", { reads: ["."], writes: [".env"] }, "allow"],
    ["deny read_file(secrets/**)", { reads: ["secrets"] }, "deny"],
    ["deny read_file(secrets/**)", { reads: ["x/../secrets/deep/a"] }, "deny"],
    ["deny read_file(docs/**)", { writes: ["docs/b"] }, "allow"],
    ["deny write_file(docs/**)", { reads: ["docs/b"] }, "allow"],
    ["deny patch_files(src/**)", { writes: ["src/a"] }, "deny"],
    ["deny patch_files(two files)", { writes: ["src/a"] }, "deny"],
    ["ask write_file(docs/**)", { writes: ["src/a", "docs/b"] }, "ask"],
    ["ask read_file(docs/**)", { reads: ["docs/b"] }, "ask"],
    ["allow write_file(.git/config)", { writes: [".git/config"] }, "ask"],
    ["allow patch_files(.git/config)", { writes: [".git/config"] }, "allow"],
    ["allow patch_files(.git/config)", { writes: [".git/config", ".git/hooks/x"] }, "ask"],
  ] as const)("by %s, for %j: %s", async (rule, uses, effect) => {
    expect((await used(rule, uses)).effect).toBe(effect);
  });
});
