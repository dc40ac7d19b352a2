/**
 * Words in every form of quoting and expansion that bash and dash know, and what each shell makes of them. A word that the judge
 * calls exact must be the word that the shell hands to a program.
 */
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import type { Simple } from "../../src/core/shell/plain.ts";
import { readTree } from "../../src/core/shell/tree.ts";
import { readPlain } from "../fixtures/plain.ts";

const LETTERS = [
  "a",
  "B",
  "0",
  "7",
  "9",
  "f",
  "x",
  "é",
  "-",
  "/",
  ".",
  "..",
  "=",
  ":",
  "@",
  ",",
  "%",
  "+",
  "^",
  "#",
];
const IN_SINGLE = [...LETTERS, " ", '"', "\\", "$", "`", "\\n", "$x", "\n", "*", "{a,b}", "!"];
const IN_DOUBLE = [
  ...LETTERS,
  " ",
  "'",
  '\\"',
  "\\\\",
  "\\$",
  "\\`",
  "\\a",
  "\\\n",
  "$x",
  "${x}",
  "\n",
  "*",
  "$ ",
  "!",
  "$(printf b)",
  "`printf c`",
];
// biome-ignore format: a list of scraps reads best as a block
const IN_ANSI = [
  ...LETTERS, " ", '"', "\\'", "\\\\", '\\"', "\\n", "\\t", "\\a", "\\b", "\\e", "\\E", "\\f", "\\r", "\\v", "\\?", "\\x2f", "\\x{2f}", "\\x{2e", "\\x", "\\xg", "\\x2",
  "\\u2f", "\\u002f", "\\U0000002f", "\\u{2f}", "\\u", "\\c", "\\ca", "\\c'", "\\c\\\\", "\\057", "\\57", "\\0", "\\000", "\\400", "\\8", "\\q", "\\ ", "\\\n", "$x", "*", "`", "!",
];
// biome-ignore format: a list of scraps reads best as a block
const BARE = [
  ...LETTERS, "\\ ", "\\'", '\\"', "\\\\", "\\$", "\\a", "\\\n", "$x", "${x}", "${x:-d}", "${y:-'d e'}", "${y:-\"d e\"}", "${x#v}", "${#x}", "${x/v/w}", "$(printf b)", "`printf c`",
  "$(printf '%s' \"$(printf n)\")", "$(cat <<E\nh$x\nE\n)", "$((1+2))", "$[1+2]", "~", "~/a", "{a,b}", "{1..3}", "{a,'b c'}", "{a", "a}", "{}", "!", "'", '"', "$", "$'", '$"',
];

/** Joined to whole words by `pick`, which chooses one of several. */
export function quotedWord(pick: <T>(items: readonly T[]) => T): string {
  const some = (scraps: readonly string[]): string =>
    Array.from({ length: pick([0, 1, 1, 2, 3]) }, () => pick(scraps)).join("");
  const forms = [
    () => some(BARE),
    () => `'${some(IN_SINGLE)}'`,
    () => `"${some(IN_DOUBLE)}"`,
    () => `$'${some(IN_ANSI)}'`,
    () => `$'${some(IN_ANSI)}'`,
    () => `$"${some(IN_DOUBLE)}"`,
  ];
  return Array.from({ length: pick([1, 1, 2, 3]) }, () => pick(forms)()).join("");
}

/** Prints the words of `w WORD`, each with a zero byte, then a mark; for a word with a wrong syntax only the mark. */
const ASK = `w() { [ $# -eq 0 ] || printf '%s\\0' "$@"; }
x=v
for each; do (eval "w $each") 2>/dev/null; printf 'END-OF-WORD'; done`;

/** The words that a shell makes of each text. */
function read(shell: string, texts: readonly string[]): readonly string[] {
  const args = shell.endsWith("bash") ? ["--norc"] : [];
  const { stdout } = spawnSync(shell, [...args, "-c", ASK, "ask", ...texts], {
    cwd: tmpdir(),
    env: { PATH: "/usr/bin:/bin", HOME: "/home-of-nobody", LC_ALL: "C.UTF-8" },
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  return stdout.split("END-OF-WORD");
}

const WORD_OF = (commands: readonly Simple[]): Simple | undefined =>
  commands.find(({ words }) => words[0]?.text === "w");

/** Each text whose words the judge claims to know, and which a shell reads otherwise. */
export function misread(texts: readonly string[]): {
  readonly exact: number;
  readonly faults: readonly string[];
} {
  const faults: string[] = [];
  let exact = 0;
  const [bash, dash] = ["/bin/bash", "/bin/dash"].map((shell) => read(shell, texts));
  for (const [i, text] of texts.entries()) {
    const line = `w ${text}`;
    const plain = readPlain(line);
    const reads: readonly (readonly [string, readonly Simple[] | null, string | undefined])[] = [
      ["bash, in the small grammar", plain, bash?.[i]],
      ["dash, in the small grammar", plain, dash?.[i]],
      ["bash", sound(line, false), bash?.[i]],
      ["dash", sound(line, true), dash?.[i]],
    ];
    for (const [shell, commands, seen] of reads) {
      const words = WORD_OF(commands ?? [])?.words.slice(1);
      if (
        !words ||
        (commands?.length ?? 0) > 1 ||
        !words.every((word) => word.exact && word.glob === undefined)
      )
        continue;
      exact += 1;
      const expected = words
        .map((word) => `${word.text.replace(/^~(?=\/|$)/, "/home-of-nobody")}\0`)
        .join("");
      if (seen !== expected)
        faults.push(
          `${shell} reads ${JSON.stringify(text)} as ${JSON.stringify(seen)}, not ${JSON.stringify(expected)}`,
        );
    }
  }
  return { exact, faults };
}

function sound(line: string, isPosix: boolean): readonly Simple[] | null {
  const script = readTree(line, new Map(), isPosix);
  return script.sound ? script.commands : null;
}
