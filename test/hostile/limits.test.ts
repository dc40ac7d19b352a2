/**
 * Lines that were made to keep the judge busy: 100 kB of what repeats, nests or must be looked up on the disk. Each took seconds, an
 * unlimited time or the whole stack. The answer is a question, or a permission that the mode or a rule gives anyway.
 */
import { expect, it } from "vitest";
import { parseRule } from "../../src/core/permission/permission.ts";
import { judgeShell } from "../../src/core/permission/shell-line.ts";
import { disk } from "../../src/host/permission/disk.ts";
import { cpuMs } from "../fixtures/cpu.ts";
import { sampled } from "../fixtures/fuzz.ts";

const SIZE = 99_000;
const many = (text: string, size = SIZE): string => text.repeat(Math.ceil(size / text.length)).slice(0, size);

/** More folders than a judgement follows, and a value of 4,500 words. */
const FOLDERS = [..."abcdefghijklmnopqrst"].map((name) => `cd ${name};`).join("");
const VALUE = `x='${many("a ", 9_000)}';`;

const LINES: Readonly<Record<string, string>> = {
  "a loop whose name is a pattern": `for '(x+x+)+y' in a; do echo ${many("x")}; done`,
  "a loop over words": `for x in a; do echo ${many("x ")}; done`,
  loops: many("for x in a; do :; done; "),
  "brace expansions": `echo ${many("{a,b}")}`,
  "braces in braces": `echo ${many("{a,")}`,
  arithmetic: `echo $((${many("1+")}1))`,
  "short arithmetic": `echo $((${many("1+", 9_000)}1))`,
  substitutions: `echo ${many("`a` ")}`,
  pipes: many("a|"),
  "a short line of pipes": many("a|", 9_900),
  lists: many("a;"),
  redirections: `a ${many("<a ")}`,
  "launchers that launch": many("npx ", 9_900),
  wrappers: many("timeout 1 "),
  evaluations: `eval ${many("'a;' ")}`,
  "shells in shells": `bash -c 'bash -c "bash -c ${many("a;")}"'`,
  "values that double": many("x=$x$x;"),
  "values of many words": `${VALUE}${many("cat $x$x$x;", 900)}`,
  "values of many words in quotes": `${VALUE}${many('cat "$x$x";', 900)}`,
  "values that are evaluated": `${VALUE}${many('eval "cat $x";', 900)}`,
  "values that shells run": `x='cat ${many("a ", 9_000)}';${many('sh -c "$x";', 900)}`,
  "values that become other names": `${VALUE}alias ${many('a="$x" ', 900)}`,
  "loops over words that are used often": `for x in ${many("a ", 1_000)}; do cat ${many("$x ", 8_000)}; done`,
  "paths in folders": `${FOLDERS}cat ${many("../a ", 9_000)}`,
  "inputs in folders": `${FOLDERS}cat ${many("<a ", 8_900)}`,
  "searches in folders": `${FOLDERS}find ${many(". -exec cat a ; ", 9_000)}`,
  "patterns in folders": `${FOLDERS}${many("ls */*;", 9_000)}`,
  "patterns over the system": `cat ${many("/usr/*/*/* ", 9_900)}`,
  "paths of many folders that do not exist": `cat ${many("a/", 4_000)} ${many("../", 4_000)}`,
  "many such paths": many(`cat ${many("a/", 1_000)};`, 9_900),
  patterns: `ls ${many("*/")}`,
  folders: many("cd a; "),
  escapes: `echo $'${many("\\\\")}'`,
  options: `git ${many("--a ")}`,
  "paths of many folders": `cat ${many("../")}`,
};
const RULES = [
  [],
  ["bash(git push*)", "read_file(.env)", "write_file(a/**)"].map((text) => parseRule("deny", text)),
];

function judge(line: string, rules: (typeof RULES)[number], confined: boolean): string {
  const where = { workspace: import.meta.dirname, home: "/home/me", disk, confined };
  const call = { tool: "bash", access: "exec", subject: line, ...where } as const;
  let effect = "";
  const spent = cpuMs(() => {
    const own = rules.filter(({ tool }) => tool === "bash");
    effect = judgeShell(own, rules, "default", call).effect;
  });
  expect(spent).toBeLessThan(1_000);
  return effect;
}

it.each(sampled(Object.entries(LINES), 2))("%s", (_, line) => {
  for (const rules of RULES) {
    expect(judge(line, rules, false)).toBe("ask");
    judge(line, rules, true);
  }
});

it("values of many words that are only printed, whatever the answer is", () => {
  for (const rules of RULES) judge(`${VALUE}${many("echo $x$x$x;", 900)}`, rules, false);
});

it("what follows many values is still read", () => {
  const line = `x='${many("a ", 900)}';${many("echo $x;", 80)}rm -rf /`;
  expect(judge(line, [], true)).toBe("deny");
});

it("a path outside that stands behind thousands of others", () => {
  expect(judge(`head ${many("a ", 6_000)} /home/me/secret`, [], true)).toBe("ask");
});
