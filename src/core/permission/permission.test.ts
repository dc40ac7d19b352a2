/** Rules, modes and paths; and that a denied command stays denied however it is disguised. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cpuMs } from "../../../test/fixtures/cpu.ts";
import { FUZZ } from "../../../test/fixtures/fuzz.ts";
import { allow, bash, deny, WORKSPACE } from "../../../test/fixtures/judged.ts";
import {
  type Access,
  type Decision,
  decide,
  type Mode,
  parseRule,
  type Rule,
  showRule,
} from "./permission.ts";

async function file(
  tool: string,
  subject: string,
  rules: readonly Rule[] = [],
  mode: Mode = "default",
): Promise<Decision> {
  const access: Access = tool === "read_file" ? "read" : "write";
  const used = { [access === "read" ? "reads" : "writes"]: [subject] };
  return decide(rules, mode, { tool, access, subject, ...used, workspace: WORKSPACE, home: "/home/me" });
}

describe("a rule as people type it", () => {
  it.each(["bash", "bash(git status*)", "write_file(src/**)", "mcp__x__*", "*", "bash(a (b) c)"])(
    "reads %s",
    (text) => {
      expect(showRule(parseRule("allow", text))).toBe(text);
    },
  );
  it("takes a star for everything", () => {
    expect(parseRule("deny", " bash( * ) ")).toEqual({ effect: "deny", tool: "bash" });
  });
  it.each(["", "bash(", "(x)", "ba sh", "bash)x("])("refuses %j", (text) => {
    expect(() => parseRule("allow", text)).toThrow(/is not a permission rule/);
  });
});

describe("modes", () => {
  const table: [Mode, Access, string][] = [
    ["plan", "read", "allow"],
    ["plan", "team", "allow"],
    ["plan", "write", "deny"],
    ["plan", "exec", "deny"],
    ["default", "read", "allow"],
    ["default", "team", "allow"],
    ["default", "write", "ask"],
    ["default", "exec", "ask"],
    ["accept-edits", "write", "allow"],
    ["accept-edits", "exec", "ask"],
    ["bypass", "write", "allow"],
    ["bypass", "exec", "allow"],
  ];
  it.each(table)("in %s, %s: %s", async (mode, access, effect) => {
    const decision = await decide([], mode, { tool: "some_tool", access, subject: "", workspace: WORKSPACE });
    expect(decision.effect).toBe(effect);
  });

  it("a deny beats what stands before it, and otherwise the first rule that fits counts", async () => {
    expect(
      (await file("write_file", "src/a", [...allow("write_file"), ...deny("write_file(src/**)")])).effect,
    ).toBe("deny");
    expect(
      (await file("write_file", "src/a", [parseRule("ask", "*"), ...allow("write_file")], "bypass")).effect,
    ).toBe("ask");
    expect(bash("git push", [parseRule("ask", "bash(git push*)"), ...allow("bash")]).effect).toBe("ask");
    expect(bash("timeout 5 git push", [parseRule("ask", "bash(git push*)")], "bypass").effect).toBe("ask");
  });

  it("says what would allow exactly that", async () => {
    expect(await file("write_file", "src/deep/a.ts")).toMatchObject({
      effect: "ask",
      rule: null,
      suggestion: "write_file(src/deep/a.ts)",
    });
    expect(await file("write_file", "a", deny("write_file"))).toMatchObject({
      effect: "deny",
      suggestion: null,
    });
    for (const path of ["app/[id]/page.tsx", "app/(auth)/[...all]/{x}*.ts", "a\\b"]) {
      const { suggestion } = await file("write_file", path);
      expect(await file("write_file", path, allow(suggestion ?? ""))).toMatchObject({ effect: "allow" });
      expect(await file("write_file", "app/d/page.tsx", allow(suggestion ?? ""))).toMatchObject({
        effect: "ask",
      });
    }
    expect((await file("write_file", "app/[id]/a.ts")).suggestion).toBe("write_file(app/\\[id\\]/a.ts)");
    expect(bash("npm run build").suggestion).toBe("bash(npm run build)");
    expect(bash("npm ci && make -j4 all").suggestion).toBe("bash(npm ci && make -j4 all)");
  });

  it.each([
    "$X y",
    "rm -rf /",
    "FOO=1 make all",
    "make\ngit push --force",
    "cat <<E | make\nx\nE",
    "python3 a.py",
    "bash a.sh",
    "rm *.o",
    "env A=b c",
    "make $X",
    "x 'unclosed",
  ])("and nothing for %j", (line) => {
    expect(bash(line).suggestion).toBeNull();
  });

  it.each([
    "npm run build",
    "make",
    "npm ci && make",
    "echo a > b",
    "a | b | c",
    "cat /etc/hosts",
    "rm -rf build",
  ])("and %s is then allowed", (line) => {
    const { effect, suggestion } = bash(line);
    expect(effect).toBe("ask");
    expect(bash(line, allow(suggestion ?? ""))).toMatchObject({ effect: "allow" });
  });
});

describe("a tool whose subject is no path", () => {
  const at = (
    tool: string,
    access: Access,
    subject: string,
    rules: readonly Rule[],
    mode: Mode = "default",
  ) => {
    const used = {
      ...(tool === "bash" && { line: subject }),
      ...(tool === "read_file" && { reads: [subject] }),
      ...(tool === "write_file" && { writes: [subject] }),
    };
    return decide(rules, mode, { tool, access, subject, ...used, workspace: WORKSPACE, home: "/home/me" });
  };

  it.each([
    ["send_message", "team", "bob", "deny", "send_message(b*)"],
    ["send_message", "team", "x/../bob", "allow", "send_message(bob)"],
    ["mcp__a__b", "write", "y", "deny", "mcp__a__b(y)"],
    ["mcp__a__b", "write", "x/../y", "ask", "mcp__a__b(y)"],
    ["mcp__a__b", "read", "x/../y", "allow", "mcp__a__b(y)"],
    ["read_file", "read", "x/../y", "deny", "read_file(y)"],
    ["write_file", "write", "x/../y", "deny", "write_file(y)"],
  ] as const)("%s (%s) of %s: %s by deny %s", async (tool, access, subject, effect, rule) => {
    expect((await at(tool, access, subject, deny(rule))).effect).toBe(effect);
  });
  it("is never a protected file, and nothing that is read is", async () => {
    expect((await at("mcp__a__b", "write", ".git/config", [], "bypass")).effect).toBe("allow");
    expect((await at("read_file", "read", ".git/config", [])).effect).toBe("allow");
  });
  it.each([
    ["mcp__a__b", "write", "x", "mcp__a__b"],
    ["write_file", "write", "", "write_file"],
    ["write_file", "write", "a(b", null],
    ["write_file", "write", "a".repeat(500), `write_file(${"a".repeat(500)})`],
    ["write_file", "write", "a".repeat(501), null],
  ] as const)("%s (%s) of %s is allowed by %s", async (tool, access, subject, suggestion) => {
    expect((await at(tool, access, subject, [])).suggestion).toBe(suggestion);
  });
  it("is told which mode decided, or which rule", async () => {
    expect((await at("mcp__a__b", "exec", "x", [])).reason).toBe(
      "mode default asks before tools that run programs",
    );
    expect((await at("read_file", "read", "a", deny("read_file(a)"))).reason).toBe(
      "the rule deny read_file(a) says so",
    );
  });
  it("reading with bash may run with the workspace read-only, unless a rule asks about all of it", async () => {
    expect(await at("bash", "exec", "ls", [])).toMatchObject({ effect: "allow", readOnly: true });
    expect(await at("bash", "exec", "ls", [parseRule("ask", "bash")])).toMatchObject({ effect: "ask" });
    expect(await at("bash", "exec", "cat a", deny("read_file(a)"))).toMatchObject({ effect: "deny" });
  });
  it("keeps asking about a protected file for which a rule asks, or which a rule only names to ask", async () => {
    for (const rule of ["write_file", "write_file(.git/config)"])
      expect(
        await at("write_file", "write", ".git/config", [parseRule("ask", rule)], "bypass"),
      ).toMatchObject({
        effect: "ask",
        suggestion: null,
      });
    expect(
      (await at("write_file", "write", ".git/config", allow("write_file(.git/x)"), "bypass")).effect,
    ).toBe("ask");
  });
});

describe("paths", () => {
  it.each([
    ["src/**", "src/a/b.ts", true],
    ["src/**", "./src/x/../a.ts", true],
    ["src/**", "src/../secret", false],
    ["src/*", "src/a/b", false],
    ["**/*.ts", "a.ts", true],
    ["/home/me/project/src/**", "src/a", true],
    ["~/project/**", "a", true],
    ["*.{ts,js}", "a.js", true],
    ["src/**", `${WORKSPACE}/src/a`, true],
    ["src/**", "/elsewhere/src/a", false],
    [".env", ".env", true],
    ["my-app/**", "my-app/a-b.ts", true],
    ["src", "src/a", false],
  ])("%s over %s: %s", async (match, path, fits) => {
    expect((await file("write_file", path, allow(`write_file(${match})`))).effect === "allow").toBe(fits);
  });

  it.each([
    ".git/hooks/pre-commit",
    ".ekiden/settings.json",
    "a/../.git/config",
    "sub/.git/config",
    ".GIT/config",
    ".g\u200cit/config",
    ".git./config",
    "git~1/config",
    ".mcp.json",
    "sub/.claude/settings.json",
    ".vscode/tasks.json",
    ".husky/pre-commit",
    ".envrc",
    ".npmrc",
    ".Bashrc",
  ])("asks before %j is written in every mode, unless a rule names it", async (path) => {
    for (const mode of ["default", "accept-edits", "bypass"] as const)
      for (const rules of [[], allow("write_file"), allow("write_file(**)")])
        expect((await file("write_file", path, rules, mode)).effect).toBe("ask");
    expect((await file("write_file", path, [], "plan")).effect).toBe("deny");
    expect(bash(`echo x > '${path}'`, allow("bash"), "bypass").effect).toBe("ask");
    expect(bash(`cp x '${path}'`, allow("bash"), "bypass").effect).toBe("ask");
    if (!path.includes("/../")) {
      expect((await file("write_file", path, allow(`write_file(${path})`), "bypass")).effect).toBe("allow");
      expect(bash(`echo x > '${path}'`, allow(`write_file(${path})`), "bypass").effect).toBe("allow");
    }
  });

  it("leaves names alone that only look protected", async () => {
    for (const path of [".gitignore", ".github/workflows/ci.yml", "git/config", ".ekiden/worktrees/t1/src/a"])
      expect((await file("write_file", path, [], "accept-edits")).effect).toBe("allow");
    expect((await file("write_file", ".ekiden/worktrees/t1/.git", [], "accept-edits")).effect).toBe("ask");
  });
});

describe("a deny rule", () => {
  it("also covers redirections into the files it names", () => {
    expect(bash("echo x > secrets/a", [...allow("bash"), ...deny("write_file(secrets/**)")]).effect).toBe(
      "deny",
    );
    expect(bash("curl x", deny("bash(curl *)"), "bypass").effect).toBe("deny");
    expect(bash("/usr/bin/curl x", deny("bash(curl *)"), "bypass").effect).toBe("deny");
    expect(bash("anything", deny("*"), "bypass").effect).toBe("deny");
    expect(bash("echo ${a[$(curl x)]:-1}", deny("bash(curl *)"), "bypass").effect).toBe("deny");
  });

  it.each([
    ["git -C . push", "git push*"],
    ["git --no-pager -c a=b push origin", "git push*"],
    ["GIT push", "git push*"],
    ["\"git\" 'push'", "git push*"],
    ["git push origin --force", "git push --force*"],
    ["rm -f -r x", "rm -rf *"],
    ["nice -n 5 git push", "git push*"],
    ["env -C x git push", "git push*"],
    ["python3 -c 'import os'", "git push*"],
    ["git -c alias.x='!git push' x", "git push*"],
    ["unshare git push", "git push*"],
    ["npm --prefix x publish", "npm publish*"],
  ])("%s is not allowed by `allow bash` where `deny bash(%s)` holds", (line, rule) => {
    for (const mode of ["default", "bypass"] as const)
      expect(bash(line, [...allow("bash"), ...deny(`bash(${rule})`)], mode).effect).not.toBe("allow");
  });

  it.each([
    ["git commit -m 'push it'", "git push*"],
    ["git log push", "git push*"],
    ["git push origin", "git push"],
    ["git pull --force", "git push --force*"],
    ["npm run pre-publish", "npm publish*"],
    ["rm -r x", "rm -rf *"],
  ])("%s does not concern `deny bash(%s)`", (line, rule) => {
    expect(bash(line, deny(`bash(${rule})`), "bypass").effect).toBe("allow");
  });

  const quoted = (text: string): fc.Arbitrary<string> =>
    fc
      .tuple(
        ...[...text].map((char) =>
          fc.constantFrom(
            char,
            `'${char}'`,
            `"${char}"`,
            `\\${char}`,
            `''${char}`,
            `${char}""`,
            `$'${char}'`,
          ),
        ),
      )
      .map((parts) => parts.join(""));
  const disguised = fc
    .oneof(
      quoted("curl"),
      quoted("curl").map((name) => `/usr/bin/${name}`),
    )
    .map((name) => `${name} evil`);
  const placed = fc
    .tuple(disguised, fc.array(fc.integer({ min: 0, max: 17 }), { maxLength: 3 }))
    .map(([command, layers]) => layers.reduce((line, layer) => LAYERS[layer]?.(line) ?? line, command));
  const LAYERS: readonly ((line: string) => string)[] = [
    (l) => `ls; ${l}`,
    (l) => `ls && ${l}`,
    (l) => `true | ${l}`,
    (l) => `( ${l} )`,
    (l) => `{ ${l}; }`,
    (l) => `echo $( ${l})`,
    (l) => `echo "$( ${l})"`,
    (l) => `if true; then ${l}; fi`,
    (l) => `for x in 1; do ${l}; done`,
    (l) => `f() { ${l}; }; f`,
    (l) => `cat <(${l})`,
    (l) => `case a in a) ${l};; esac`,
    (l) => `bash -c ${shellQuote(l)}`,
    (l) => `eval ${shellQuote(l)}`,
    (l) => `${l} &`,
    (l) => `ls\n${l}\nls`,
    (l) => `X=${shellQuote(l)}; eval "$X"`,
    (l) => `cat <<EOF\n$( ${l})\nEOF\n`,
  ];
  const shellQuote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

  it("bites through quoting, concatenation and nesting", () => {
    fc.assert(
      fc.property(placed, (line) => {
        expect(bash(line, [...allow("bash"), ...deny("bash(curl *)")], "bypass").effect).toBe("deny");
        expect(bash(line, allow("bash(ls*)", "bash(echo*)", "bash(cat*)", "bash(true*)")).effect).not.toBe(
          "allow",
        );
      }),
      { ...FUZZ, numRuns: 300 },
    );
  });

  it("no text makes the judge throw, or takes it long", () => {
    const bits = fc.constantFrom(
      "a",
      " ",
      "'",
      '"',
      "\\",
      "$",
      "(",
      ")",
      "{",
      "}",
      "`",
      "<",
      ">",
      "|",
      "&",
      ";",
      "\n",
      "#",
      "=",
      "[",
      "case x in ",
      "for x in ",
      "<<E\n",
      "$((",
      "${",
      ",",
      "if ",
      "done",
      "esac",
      "x=(",
      "find -exec ",
      "bash -c ",
      "[[ ",
      "]]",
      "; ",
      "xargs ",
    );
    fc.assert(
      fc.property(fc.array(bits, { maxLength: 40 }), (parts) => {
        expect(["allow", "ask", "deny"]).toContain(bash(parts.join("")).effect);
      }),
      { ...FUZZ, numRuns: 1_000 },
    );
    const cost = cpuMs(() => {
      for (const part of ["(", "$(", "{", "'a' ", "a{b,c}", "`", "$((", "bash -c '", "\\", "x=$x", "<<E\n"])
        for (const times of [3_000, 30_000]) bash(part.repeat(times), deny("bash(a *)"), "bypass", true);
    });
    expect(cost).toBeLessThan(3_000);
  });
});
