/** These tests check what may run in a shell without a question, what asks, and what never runs. */
import { describe, expect, it } from "vitest";
import { allow, bash, deny } from "../../../test/fixtures/judged.ts";
import type { Disk } from "../shell/places.ts";
import type { Mode } from "./mode.ts";
import { parseRule } from "./rule.ts";
import { judgeShell } from "./shell-line.ts";

describe("an allow rule must cover every command", () => {
  const rules = allow("bash(git *)", "bash(npm test *)", "bash(echo *)", "bash(node:*)");
  it.each([
    "git push",
    "git",
    "npm test",
    "npm test -- a",
    "git add . && git commit -m 'a b; c'",
    "npm test | head",
    "cd src && npm test",
    "timeout 60 npm test",
    "/usr/bin/git push",
    "node a.js",
    "NODE_ENV=test npm test",
    "env CI=1 npm test",
    "npm test 2>&1 || true",
  ])("%j is covered", (line) => expect(bash(line, rules)).toMatchObject({ effect: "allow" }));
  it.each([
    "git push; rm a",
    "git push && curl x",
    "git $(rm a)",
    "git push | sh",
    "npm testx",
    "npm run x",
    "git log > log.txt",
    "touch $(git rev-parse HEAD)",
    "bash -c 'git push && npm test'",
    '"git x/pwn"',
    "./git push",
    "sudo git push",
    "$GIT push",
    "git push > /etc/x",
    "git push > ~/x",
    "git push > $X",
    "GIT_SSH_COMMAND=evil git push",
    "PATH=. git push",
    "echo x > .git/hooks/x",
    "bash -c 'git push; rm a'",
    'eval "$X"',
    "git push <(rm a)",
    "cd .. && git log > x",
    "npm\ttestx",
    "git push &\nrm a",
    "xargs rm",
  ])("%j is not", (line) => expect(bash(line, rules)).toMatchObject({ effect: "ask" }));
  it("while plain bash allows whatever is not denied", () => {
    for (const line of ["npm test", "rm a", "cat /etc/passwd", "eval rm a", "$X", "ls $X &", "a() { b; }; a"])
      expect(bash(line, allow("bash")).effect, line).toBe("allow");
    expect(bash("$X y", [...allow("bash"), ...deny("bash(rm *)")]).effect).toBe("ask");
    expect(bash("git --no-pager $X", deny("bash(git push*)"), "bypass").effect).toBe("ask");
  });
});

describe("a line that destroys a machine", () => {
  it.each([
    "grep shutdown file",
    "echo rm -rf /",
    "rm -rf build",
    "rm -rf ./node_modules dist/*",
    "rm -rf /tmp/x",
    "rm -rf /home/me/project/build",
    "rm -rf *",
    "man reboot",
    "git commit -m 'rm -rf /'",
    "dd if=a of=b",
    "which halt",
    "find . -name '*.o' -delete",
    "chmod -R u+w build",
    "mv a b",
    "kill -9 123",
    "echo halt > a",
    "cat shutdown.log",
    "f() { echo a | f2; }; f",
    "f() { ls && f; }; f",
    "rm /tmp/a",
    "systemctl status x",
    "./shutdown.sh",
    "ls /",
    "npm run reboot",
  ])("%j is not taken for it", (line) => {
    expect(bash(line, [], "bypass")).toMatchObject({ effect: "allow" });
  });
});

describe("what a person is told", () => {
  it.each([
    ["x=1 y=2", "setting x may change what commands do, and mode default asks before running programs"],
    ["make", 'no rule allows "make", and mode default asks before running programs'],
    ["> a", 'it writes the file "a", and mode default asks before that'],
    ["ls > a*", 'it writes to "a*", which is not known to be in the workspace'],
    ["ls > /etc/x", 'it writes to "/etc/x", which is not known to be in the workspace'],
    ["cat a < /etc/x", 'it reads "/etc/x", which is not known to be in the workspace'],
    [
      "ls $'a'",
      "it uses more of the shell than can be judged exactly, and mode default asks before running programs",
    ],
    [
      `make ${"a".repeat(55)}`,
      `no rule allows "make ${"a".repeat(55)}", and mode default asks before running programs`,
    ],
    [
      `make ${"a".repeat(56)}`,
      `no rule allows "make ${"a".repeat(52)}…", and mode default asks before running programs`,
    ],
  ])("of %s", (line, reason) => expect(bash(line)).toMatchObject({ effect: "ask", reason }));

  it("is the rule to write for at most 500 characters", () => {
    expect(bash(`make ${"a".repeat(495)}`).suggestion).toBe(`bash(make ${"a".repeat(495)})`);
    expect(bash(`make ${"a".repeat(496)}`).suggestion).toBeNull();
    expect(bash("  make  ").suggestion).toBe("bash(make)");
  });
});

const asking = (text: string) => [parseRule("ask", text)];

describe("files that a line writes", () => {
  it.each([
    ["default", allow("write_file(a)"), "allow"],
    ["default", allow("edit_file(a)"), "allow"],
    ["default", allow("write_file(b)"), "ask"],
    ["default", allow("read_file"), "ask"],
    ["accept-edits", [], "allow"],
    ["accept-edits", asking("write_file(a)"), "ask"],
    ["accept-edits", asking("read_file(a)"), "allow"],
    ["accept-edits", deny("write_file(b)"), "allow"],
    ["accept-edits", deny("edit_file(a)"), "deny"],
    ["plan", [], "deny"],
  ] as const)("in mode %s with %j: %s", (mode, rules, effect) => {
    expect(bash("ls > a", rules, mode).effect).toBe(effect);
  });
  it("are allowed for themselves, and not as something that changes nothing", () => {
    expect(bash("ls > a", [], "accept-edits")).toEqual({
      effect: "allow",
      rule: null,
      reason: "mode accept-edits allows writing files",
      suggestion: null,
    });
  });
  it.each([
    [allow("bash", "write_file(.git/x)"), "allow"],
    [allow("bash(.git/x)"), "ask"],
    [allow("read_file(.git/x)"), "ask"],
    [allow("write_file(.git/y)"), "ask"],
  ] as const)("below .git with %j: %s", (rules, effect) => {
    expect(bash("cp a .git/x", rules, "bypass").effect).toBe(effect);
  });
});

describe("a line that is not known in part, in bypass mode", () => {
  it.each([
    ["git $X", deny("bash(git push*)"), "ask"],
    ["git $X", asking("bash(git push*)"), "ask"],
    ["git $X", allow("bash(git push*)"), "allow"],
    ["git log $X", deny("bash(git push*)"), "allow"],
    ["$X", deny("bash(rm *)"), "ask"],
    ["$X", [], "allow"],
    ["ls 'x", deny("bash(rm *)"), "ask"],
    ["ls 'x", [], "allow"],
    [`echo '${"a".repeat(9_994)}`, [], "allow"],
    [`echo '${"a".repeat(9_995)}`, [], "allow"],
    [`echo '${"a".repeat(9_995)}`, deny("bash(rm *)"), "ask"],
    ["> a", deny("bash(rm *)"), "allow"],
    ["/bin/rm a", deny("bash(rm *)"), "deny"],
    ["/bin/rm a", deny("bash(/bin/rm *)"), "deny"],
    ["rm a", deny("bash(/bin/rm *)"), "allow"],
  ] as const)("%s with %j: %s", (line, rules, effect) => {
    expect(bash(line, rules, "bypass").effect).toBe(effect);
  });
});

describe("a rule for a program that runs another one", () => {
  it.each([
    ["nohup ls", "allow"],
    ["nohup npm test", "ask"],
    ["nohup nohup rm a", "ask"],
    ["nohup cat /etc/x", "ask"],
  ])("is not one for what %s runs: %s", (line, effect) => {
    expect(bash(line, allow("bash(nohup *)")).effect).toBe(effect);
  });
  it.each([
    ["CI=1 nohup ls", "allow"],
    ["PATH=x nohup ls", "ask"],
    ["env A=1 ls", "ask"],
    ["nohup", "ask"],
    ["timeout 5", "ask"],
    ["sudo ls", "ask"],
    ["bash -c ls", "ask"],
    ["strace ls", "ask"],
    ["chroot x ls", "ask"],
    ["busybox ls", "ask"],
    ["flock a ls", "ask"],
    ["doas ls", "ask"],
    ["toybox ls", "ask"],
  ])("is needed for %s: %s", (line, effect) => expect(bash(line).effect).toBe(effect));
  it("names the first rule that allowed a command of the line", () => {
    const { rule } = bash("ls && npm test && git push", allow("bash(git push)", "bash(npm test)"));
    expect(rule).toMatchObject({ match: "npm test" });
  });
});

describe("a path behind a cd is judged from the folder where it is used", () => {
  const workspace = "/p/.ekiden/worktrees/1-x";
  const folders = [workspace, `${workspace}/src`, `${workspace}/src/deep`];
  const disk: Disk = { real: (path) => path, entries: (folder) => (folders.includes(folder) ? [] : null) };
  const judged = (line: string, mode: Mode, confined: boolean) =>
    judgeShell([], [], mode, {
      ...{ tool: "bash", access: "exec", subject: line, line, workspace, home: "/home/me", disk, confined },
    });

  it.each([
    "cd src && echo x > ../out.txt",
    "cd src; echo x > ../out.txt",
    "cd src && cd deep && echo x > ../../out.txt",
    "(cd src && echo x > ../out.txt); echo y > out.txt",
    "pushd src && echo x > ../out.txt && popd && echo y > out.txt",
    "cd src && echo x > ../out.txt && cd - && echo y > out.txt",
    "cd src || exit 1; echo x > ../out.txt",
    "for d in src; do cd $d && echo x > ../out.txt; done",
  ])("%s stays inside", (line) => {
    for (const mode of ["default", "accept-edits", "bypass"] as const)
      expect([mode, judged(line, mode, true).effect]).toEqual([mode, "allow"]);
    expect(judged(line, "bypass", false).effect).toBe("allow");
    if (/^cd/.test(line) && !/-|exit/.test(line))
      expect(judged(line, "accept-edits", false).effect).toBe("allow");
  });

  it.each([
    "echo x > ../out.txt",
    "cd new; echo x > ../out.txt",
    "cd src && echo x > ../../out.txt",
    "cd src || echo x > ../out.txt",
    "(cd src); echo x > ../out.txt",
    "cd src | echo x > ../out.txt",
    "cd src && cd .. && echo x > ../out.txt",
    "pushd src && popd && echo x > ../out.txt",
    "cd src && cd - && echo x > ../out.txt",
    "if cd new; then true; else echo x > ../out.txt; fi",
    "cd() { :; }; cd src && echo x > ../out.txt",
    "rm -r src; cd src; echo x > ../out.txt",
    'cd "$X" && echo x > ../out.txt',
    "cd src && echo x > deep/../../.git/hooks/pre-commit",
  ])("%s may leave it", (line) => {
    for (const mode of ["default", "accept-edits"] as const)
      expect([mode, judged(line, mode, false).effect]).toEqual([mode, "ask"]);
  });
});

it.each([
  ["cat /opt/app/config.yml", "ask"],
  ["cat /srv/www/users.csv", "ask"],
  ["cat /usr/share/dict/words", "allow"],
])("reading outside, in the sandbox: %s, %s", (line, effect) => {
  const disk: Disk = {
    real: (path) => path,
    entries: () => ["opt", "srv", "usr", "app", "www", "share", "dict", "config.yml", "users.csv", "words"],
  };
  const request = {
    tool: "bash",
    access: "exec",
    subject: line,
    line,
    workspace: "/p",
    home: "/home/me",
  } as const;
  expect(judgeShell([], [], "default", { ...request, disk, confined: true }).effect).toBe(effect);
});
