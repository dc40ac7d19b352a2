/** How a gate failed, read from its output, and whether two of them failed alike. Apart from the verdict, whose words each start loads. Pure. */
import { plainText } from "../text/plain-text.ts";

/** How a gate failed. `names`: of the tests, where its output has them. `lines`: its last ones, without what differs between two runs. */
export type Failing = {
  readonly exit: string;
  readonly names: readonly string[];
  readonly lines: readonly string[];
};

const NAMES_MAX = 200;
const NAME_MAX = 200;
const LINES = 40;
/** The share of lines that are the same where no test has a name. */
const SAME = 0.8;

/** One line each: what prints it, and how it begins. The first group is the name. */
const FAILED: readonly RegExp[] = [
  /^\s*not ok \d+ (?:- )?(.+?)(?: # .*)?$/, // TAP
  /^\s*FAIL {1,2}(\S.* > .+)$/, // vitest
  /^\s*● (.+)$/, // jest
  /^(?:FAILED|ERROR) (\S+::.+?|\S+\.py)(?: - .*)?$/, // pytest
  /^\s*--- FAIL: (\S+)/, // go test
  /^\s*✖ (.+) \([\d.]+m?s\)$/, // node, without TAP
  /^\s{4,}\d+\) (\S.*)$/, // mocha
  /^(?:FAIL|ERROR): (\w+ \(.+\))$/, // unittest
  /^test (\S+) \.\.\. FAILED$/, // cargo
  /^\[ERROR\] +(\w[\w.]*):\d+\b/, // surefire
  /^(\S.* > .+) FAILED$/, // gradle
  /^rspec \S+ # (.+)$/, // rspec
  /^((?:\w+::)*\w+#test_\w+)/, // minitest
  /^\d+\) ([\w\\]+::\w+.*)$/, // phpunit
  /^\s+\d+\) (test .+ \(\S+\))$/, // ExUnit
  /^\s*Failed (\S.*) \[[^\]]+\]$/, // dotnet
  /^\[ {2}FAILED {2}\] (\w+\.\w+)/, // googletest
];
/** A gate can print whatever it wants, and much of it. */
const LINE_MAX = 1_000;
const TODO = / # (?:TODO|SKIP)\b/i;

/** `root`: the folder in which it ran, which differs between tasks. */
export function failingIn(output: string, exit: string, root: string): Failing {
  const text = plainText(output).replaceAll(root, "");
  const lines = text.split("\n").map((line) => line.slice(0, LINE_MAX).trimEnd());
  const names = lines.flatMap((line) => {
    if (TODO.test(line)) return [];
    for (const pattern of FAILED) {
      const [, name] = pattern.exec(line) ?? [];
      if (name !== undefined) return [name];
    }
    return [];
  });
  names.push(...casesOf(text));
  const known = new Set(names.map((name) => name.trim().slice(0, NAME_MAX)).filter(Boolean));
  return {
    exit,
    names: [...known].sort().slice(0, NAMES_MAX),
    lines: lines.map(withoutNumbers).filter(Boolean).slice(-LINES),
  };
}

/** Of JUnit. A case without a failure ends at its own tag. */
const casesOf = (text: string): string[] =>
  text
    .split("<testcase")
    .slice(1)
    .flatMap((part) => {
      const end = part.indexOf(">");
      const [inner = ""] = part.slice(end).split("</testcase>", 1);
      return part[end - 1] !== "/" && /<(?:failure|error)\b/.test(inner)
        ? [nameOfCase(part.slice(0, Math.min(end, LINE_MAX)))]
        : [];
    });

const attribute = (name: string, text: string): string => text.split(` ${name}="`)[1]?.split('"')[0] ?? "";
const nameOfCase = (attributes: string): string =>
  [attribute("classname", ` ${attributes}`), attribute("name", ` ${attributes}`)].filter(Boolean).join(" ");

const withoutNumbers = (line: string): string =>
  line
    .trim()
    .replace(/\b(?:0x)?[0-9a-f]{7,}\b/gi, "#")
    .replace(/\d+/g, "#");

/** Whether a candidate fails by what fails on its base, too, and by nothing else. */
export function failsAsBase(candidate: Failing, base: Failing): boolean {
  if (candidate.names.length > 0 || base.names.length > 0)
    return candidate.names.length > 0 && candidate.names.every((name) => base.names.includes(name));
  if (candidate.exit !== base.exit) return false;
  const most = Math.max(candidate.lines.length, base.lines.length);
  if (most === 0) return true;
  const left = [...base.lines];
  let same = 0;
  for (const line of candidate.lines) {
    const at = left.indexOf(line);
    if (at === -1) continue;
    left.splice(at, 1);
    same += 1;
  }
  return same >= SAME * most;
}
