/** What may run in a shell without a question, what asks, and what never runs. */
import { describe, expect, it } from "vitest";
import { allow, bash, deny } from "../../../test/fixtures/judged.ts";
import { changesNothing } from "../shell/readonly.ts";
import { parseRule } from "./rule.ts";

const READS = [
  "ls",
  "ls;",
  "ls\n",
  "ls -la src",
  "cat a.ts | head -5",
  "nl -b a a.ts",
  "git status",
  "git worktree list",
  "sed -n '2 ! p' a.ts",
  "git log --oneline -5",
  "git diff HEAD~1 -- src",
  "git show HEAD:a",
  "rg foo src",
  "grep -rn shutdown .",
  "grep shutdown file",
  "echo hi",
  "pwd",
  "wc -l a",
  "find . -name '*.ts'",
  "cd src && ls",
  "true; false",
  "cat a 2>/dev/null",
  "ls 2>&1",
  "git --no-pager log",
  "sort a | uniq -c",
  "node --version",
  "test -f a && echo yes",
  "[ -d src ]",
  "timeout 5 ls",
  "LANG=C ls",
  "sed -n 1,5p a",
  "command -v node",
  "date +%s",
  "cat /spool/1.txt",
  "git branch",
  "git branch -a",
  "git stash list",
  "jq .a b.json",
  "set -euo pipefail; ls",
  "ls # rm -rf /",
  "stat a\nls",
];
/** Silent only in a sandbox: the shell does more here than can be judged exactly. */
const READS_CONFINED = [
  "echo $HOME",
  'echo "$(git status)"',
  "for f in a b; do echo $f; done",
  "for f in a b; do cat $f; done",
  "if [ -f a ]; then cat a; fi",
  "cat <<EOF\nhi\nEOF",
  "diff <(ls a) <(ls b)",
  "time ls | wc -l",
];
const ASKS = [
  "ls &&",
  "ls |",
  "bash -c 'ls -l'",
  "find . -name a -exec grep x {} +",
  "for f in a; do cat $f; f=/etc/passwd; done",
  "for PATH in .; do ls; done",
  "echo $((PATH=1)); ls",
  "for f in /etc/passwd; do cat $f; done",
  "rm a",
  "npm test",
  "ls > a",
  "echo x >> b",
  "git push",
  "git commit -m x",
  "git -c core.pager=evil log",
  "git branch new",
  "git diff --output=x",
  "git log --ext-diff",
  "find . -delete",
  "find . -exec rm {} ;",
  "find . -fprint x",
  "sort -o a b",
  "rg --pre evil x",
  "cat /etc/passwd",
  "cat ~/.ssh/id_rsa",
  "cat ../x",
  "ls $DIR",
  "cat < /etc/passwd",
  "cd / && cat etc/passwd",
  "cd .. ; cat x",
  "cd $X && cat a",
  "sed -i s/a/b/ f",
  "sed -n 'w x' f",
  "curl http://x",
  "ls; rm a",
  "ls && rm a",
  "ls | xargs rm",
  "ls & rm a",
  "ls\nrm a",
  "echo $(rm a)",
  "echo `rm a`",
  'echo "$(rm a)"',
  "cat <(rm a)",
  "echo ${x:-$(rm a)}",
  "bash -c 'rm a'",
  "eval rm a",
  "env rm a",
  "sudo ls",
  "xargs grep x < a",
  "nohup rm a",
  "timeout 5 rm a",
  "time rm a",
  "ls() { rm a; }; ls",
  "PATH=. ls",
  "PATH=.; ls",
  "LD_PRELOAD=x ls",
  "GIT_PAGER=x git log",
  "$X",
  "l? a",
  "bash script.sh",
  "cat x | sh",
  "if true; then rm a; fi",
  "case a in a) rm a;; esac",
  "cat <<EOF\n$(rm a)\nEOF",
  "bash <<EOF\nrm a\nEOF",
  "echo 'unclosed",
  "a=$(rm a)",
  "x='a[$(rm a)]'; echo $((x))",
  "> a",
  "printf -v x y",
  "date -s x",
  "alias ls='rm a'; ls",
  "trap 'rm a' EXIT",
  "xargs -X rm",
  "command rm a",
  "exec rm a",
  "tee a",
  "ls |& rm a",
  "coproc rm a",
  "(rm a)",
  "{ rm a; }",
  "! rm a",
  "while rm a; do ls; done",
  "ls\\\n; rm a",
  "[[ -v 'a[$(rm a)]' ]]",
  "ls > .git/config",
  "awk '{print > \"f\"}' a",
  "ls --color=$(rm a)",
  "env -S 'rm a'",
  "xxd -r a b",
  "TZ=/etc/passwd date",
  "env TZ=/etc/passwd date",
];

describe("reading needs no question", () => {
  it.each(READS)("%j is allowed", (line) => expect(bash(line)).toMatchObject({ effect: "allow" }));
  it.each(READS)("%j is allowed even in plan mode", (line) =>
    expect(bash(line, [], "plan").effect).toBe("allow"),
  );
  it.each(ASKS)("%j asks", (line) => expect(bash(line)).toMatchObject({ effect: "ask" }));
  it.each(ASKS)("%j is refused in plan mode", (line) => expect(bash(line, [], "plan").effect).toBe("deny"));

  it.each(READS_CONFINED)("%j is allowed in a sandbox", (line) => {
    expect(bash(line, [], "plan", true)).toMatchObject({ effect: "allow", readOnly: true });
  });
  it.each([...ASKS, "rm a", "npm test"])("%j asks in a sandbox, too", (line) => {
    expect(bash(line, [], "default", true).effect).toBe("ask");
  });

  it("and may run beside other reading", () => {
    expect(changesNothing("git log | head")).toBe(true);
    expect(changesNothing("cat /etc/hosts")).toBe(true);
    expect(changesNothing("read -r line")).toBe(true);
    for (const line of ["rm a", "ls > a", "cd src && ls", "sleep 1 &"])
      expect(changesNothing(line)).toBe(false);
  });
});

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
    "echo $(git rev-parse HEAD)",
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
    for (const line of ASKS.filter((one) => one !== "ls > .git/config"))
      expect(bash(line, allow("bash")).effect, line).toBe("allow");
    expect(bash("$X y", [...allow("bash"), ...deny("bash(rm *)")]).effect).toBe("ask");
    expect(bash("git --no-pager $X", deny("bash(git push*)"), "bypass").effect).toBe("ask");
  });
});

const DESTROYS = [
  "echo / | xargs rm -rf",
  "pushd /; rm -rf *",
  "rm -rf ${X}/",
  'rm -rf "$X"/*',
  "python3 -c 'import shutil; shutil.rmtree(\"/\")'",
  "rm -rf /",
  "r''m -rf /",
  "r\\m -rf /",
  '"rm" -rf /',
  "rm -r -f /",
  "rm --recursive --force /",
  "rm -fR /*",
  "rm -rf --no-preserve-root /",
  "bash -c 'rm -rf /'",
  'sh -ec "rm -rf /"',
  "X=rm; $X -rf /",
  "X=rm; ${X} -rf /",
  "X='rm -rf /'; $X",
  "eval 'rm -rf /'",
  "eval rm -rf /",
  "sudo rm -rf /",
  "env A=b rm -rf /",
  "nohup rm -rf / &",
  "timeout 5 rm -rf /",
  "xargs rm -rf / < a",
  "find / -exec rm {} +",
  "find / -delete",
  "{rm,-rf,/}",
  "rm${IFS}-rf${IFS}/",
  "$'\\x72m' -rf /",
  "$(echo rm) -rf /",
  "`echo rm` -rf /",
  "/bin/rm -rf /",
  "rm -rf //",
  "rm -rf /.",
  "rm -rf /../",
  "rm -rf /etc/..",
  "rm -rf ~",
  "rm -rf ~/",
  "rm -rf ~/*",
  "rm -rf $HOME",
  'rm -rf "$HOME"/*',
  "rm -rf ${HOME}",
  "rm -rf ..",
  "rm -rf ../..",
  "rm -rf /home/me",
  "rm -rf /home",
  "rm -rf /usr",
  "cd / && rm -rf *",
  "cd /; rm -rf .",
  "cd ../ && rm -rf ./*",
  "echo 'rm -rf /' | sh",
  "sh <<< 'rm -rf /'",
  "sh <<EOF\nrm -rf /\nEOF",
  'set -- rm -rf /; "$@"',
  "true && { rm -rf /; }",
  "(rm -rf /)",
  "if x; then rm -rf /; fi",
  "f() { rm -rf /; }; f",
  "echo $(rm -rf /)",
  "ls; rm -rf / ;ls",
  "rm -rf a /",
  "rm a -rf /",
  "busybox rm -rf /",
  "command rm -rf /",
  "exec rm -rf /",
  "$UNKNOWN -rf /",
  "for c in rm; do $c -rf /; done",
  "shutdown",
  "shutdown -h now",
  "sudo reboot",
  "/sbin/halt",
  "systemctl poweroff",
  "init 0",
  "mkfs.ext4 /dev/sda1",
  "mkfs -t ext4 x",
  "dd if=/dev/zero of=/dev/sda",
  "cat x > /dev/sda",
  "chmod -R 777 /",
  "chown -R me /",
  "mv / x",
  "mv ~ x",
  ":(){ :|:& };:",
  "f() { f & f; }; f",
  "f() { f & }; f",
  "kill -9 -1",
  "trap 'rm -rf /' EXIT",
  "alias x='rm -rf /'",
  "bash -c \"bash -c 'rm -rf /'\"",
  "su -c 'rm -rf /'",
  "time rm -rf /",
  "! rm -rf /",
  "rm \\\n-rf /",
  "env -S 'rm -rf /'",
];

describe("a line that destroys a machine", () => {
  it.each(DESTROYS)("%j is refused in bypass mode, and allowed by its exact text alone", (line) => {
    expect(bash(line, allow("bash", "bash(rm *)", `bash(${line}*)`), "bypass")).toMatchObject({
      effect: "deny",
      suggestion: null,
    });
    expect(bash(line, allow(`bash(${line})`), "default").effect).toBe("allow");
  });
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
      "ls $X",
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
    [`echo '${"a".repeat(9_995)}`, [], "ask"],
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
