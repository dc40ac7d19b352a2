/**
 * `npm run fuzz -- --minutes N --seed S`: mutates the corpus of shell lines and holds the judge against bash and dash. Two claims:
 * the words that the small grammar reads are the words that both shells hand to a program, and no mutant that is allowed without a
 * question has an effect outside of it. Ends with 1 and the line when a claim is wrong. The same seed gives the same lines.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Simple } from "../src/core/shell/plain.ts";
import { randomFrom } from "../test/fixtures/fuzz.ts";
import { readPlain } from "../test/fixtures/plain.ts";
import { sections } from "../test/hostile/corpus.ts";
import { prove } from "../test/hostile/proving.ts";
import { misread, quotedWord } from "../test/hostile/quoting.ts";

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "1" }, seed: { type: "string" } },
});
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const until = Date.now() + Number(values.minutes) * 60_000;
console.log(`seed ${seed}, ${values.minutes} minutes`);

const random = randomFrom(seed);
const pick = <T>(items: readonly T[]): T => items[random(items.length)] as T;

// biome-ignore format: a list of scraps reads best as a block
const SCRAPS = [
  " ", "\t", "\n", "'", '"', "\\", "$", "`", "#", "!", "~", "{", "}", "(", ")", "[", "]", "*", "?", ";", "&", "|", "<", ">", "=", ":", ",", "-", "--", "/", "..",
  " # ", "\\\n", "$x", "${x}", "$(", ")", "$'", "&&", "||", ">>", "2>&1", ">|", "&>", "<<E\n", "\nE\n", "<<<", "a=", "A=1 ", "~/", "=~", ":~", "{a,b}", "@{0}",
  "''", '""', "\\ ", "\\'", '\\"', "'\\''", '"$"', "\"a$ b\"", "%n", "-o made", "--output=made", "-exec touch made ;", "lnk/", "../", "file-lnk", ".*", "l*k/s*",
  "| xargs cat", "; cat ", " && cd ", "cd lnk && ", "é", "\u00a0", "\r", "1", "1>", "[[ ", "if ", "time ", "! ",
];
const all = sections().filter(({ name }) => name !== "catastrophes");
const corpus = all.flatMap(({ lines }) => lines);
const harmless = all.filter(({ heading }) => heading === "silent").flatMap(({ lines }) => lines);

function mutant(): string {
  let line = random(3) === 0 ? pick(corpus) : pick(harmless);
  for (let edits = 1 + random(4); edits > 0; edits -= 1) {
    const at = random(line.length + 1);
    const kind = random(5);
    if (kind < 2) line = line.slice(0, at) + pick(SCRAPS) + line.slice(at);
    else if (kind === 2) line = line.slice(0, at) + line.slice(at + 1 + random(4));
    else if (kind === 3) {
      const other = pick(corpus);
      line = line.slice(0, at) + other.slice(random(other.length + 1));
    } else line = line.slice(0, at) + pick(harmless).split(" ").at(-1) + line.slice(at);
  }
  // Nothing here may ever be run that a slip could turn against the machine.
  return /\b(?:rm|dd|kill|mkfs|shred|reboot|halt|shutdown|poweroff|chmod|chown|mv)\b/.test(line)
    ? pick(harmless)
    : line;
}

const top = mkdtempSync(join(tmpdir(), "ekiden-fuzz-"));
const stubs = join(top, "bin");
const empty = join(top, "empty");
mkdirSync(stubs);
mkdirSync(empty);
const nothing = openSync("/dev/null", "r+");

/** The words that a shell hands to the programs of a line: each program is a stub that writes its words down. */
function wordsOf(shell: string, line: string, commands: readonly Simple[]): string | null {
  const log = join(top, "log");
  rmSync(log, { force: true });
  const names = new Set(commands.flatMap(({ words }) => words[0]?.text ?? []));
  const written: string[] = [];
  for (const name of names) {
    const stub = join(stubs, name);
    written.push(stub);
    writeFileSync(stub, `#!/bin/sh\nprintf '%s\\0' '${name}' "$@" end >> '${log}'\n`);
    chmodSync(stub, 0o755);
  }
  const { status, stderr } = spawnSync(shell, ["-c", line], {
    cwd: empty,
    env: { PATH: stubs, HOME: "/home-of-nobody" },
    timeout: 2_000,
    // The descriptors 3 to 9 are open, because a shell does not run a command whose redirection fails.
    stdio: ["ignore", "pipe", "pipe", ...Array.from({ length: 7 }, () => nothing)],
    encoding: "utf8",
  });
  const logged = spawnSync("cat", [log], { encoding: "utf8" }).stdout;
  for (const stub of written) rmSync(stub, { force: true });
  if (/yntax error|nexpected|nterminated/.test(stderr)) return "syntax error";
  return status === null ? null : logged;
}

/** Only lines whose commands all run, one after the other, as stubs: no builtins, globs, redirections or pipes. */
function comparable(commands: readonly Simple[]): boolean {
  return commands.every(
    ({ words, assigns, redirects, operator }) =>
      redirects.length + assigns.length === 0 &&
      !/^(?:\||\|\||&&)$/.test(operator) &&
      words.every(({ glob }) => glob === undefined) &&
      /^[a-z][a-z\d]*$/.test(words[0]?.text ?? "") &&
      !BUILTINS.test(words[0]?.text ?? ""),
  );
}
const BUILTINS =
  /^(?:alias|bg|bind|break|builtin|caller|case|cd|chdir|command|compgen|complete|compopt|continue|declare|dirs|disown|do|done|echo|elif|else|enable|esac|eval|exec|exit|export|false|fc|fg|fi|for|function|getopts|hash|help|history|if|in|jobs|kill|let|local|logout|mapfile|popd|printf|pushd|pwd|read|readarray|readonly|return|select|set|shift|shopt|source|suspend|test|then|time|times|trap|true|type|typeset|ulimit|umask|unalias|unset|until|wait|while|coproc|sh|end)$/;

const proving = await prove();
const counts = { lines: 0, plain: 0, compared: 0, silent: 0, words: 0 };
const faults: string[] = [];
while (Date.now() < until && faults.length < 5) {
  // Words in all forms of quoting come by the hundred: a shell reads them in one process.
  if (counts.lines % 500 === 0) {
    const texts = Array.from({ length: 500 }, () => quotedWord(pick));
    const { exact, faults: wrong } = misread(texts);
    counts.words += exact;
    faults.push(...wrong);
  }
  let line = mutant();
  counts.lines += 1;
  // Half of the mutants get a program that is no builtin, so that both shells' words can be seen.
  if (random(2) === 0) line = line.replace(/^\s*[a-z]+/, "stub");
  const commands = readPlain(line);
  if (commands === null) continue;
  counts.plain += 1;
  if (commands.length > 0 && comparable(commands)) {
    counts.compared += 1;
    const expected = commands
      .map(
        ({ words }) =>
          `${words.map(({ text }) => `${text.replace(/^~(?=\/|$)/, "/home-of-nobody")}\0`).join("")}end\0`,
      )
      .join("");
    for (const shell of ["/bin/bash", "/bin/dash"]) {
      const seen = wordsOf(shell, line, commands);
      if (seen !== null && seen !== expected)
        faults.push(
          `${shell} reads ${JSON.stringify(line)} as ${JSON.stringify(seen)}, not ${JSON.stringify(expected)}`,
        );
    }
  }
  const where = await proving.silentIn(line);
  if (where !== null) {
    counts.silent += 1;
    const effect = await proving.effectOf(line, where);
    if (effect !== null) faults.push(`${JSON.stringify(line)} is allowed without a question: ${effect}`);
  }
}
await proving.end();
rmSync(top, { recursive: true, force: true });
console.log(
  `${counts.lines} mutants, ${counts.plain} in the small grammar, ${counts.compared} compared with bash and dash, ${counts.silent} run because they are allowed silently; ${counts.words} exact words in all forms of quoting`,
);
for (const fault of faults) console.log(`FAULT ${fault}`);
process.exitCode = faults.length > 0 ? 1 : 0;
