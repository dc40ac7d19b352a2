/** The settings that a runner reads by itself, of those parts of a file that say what it runs and what counts. Pure but for `read`. */
export type Read = (path: string) => Promise<string | null>;

/** Null: the whole file. Else the lines from one that fits on, as long as they are indented more, or up to the next `[section]`. */
type Section = RegExp | null;
type Row = readonly [runner: RegExp, files: readonly string[], section: Section];

const named = (name: string, ...endings: string[]): string[] => endings.map((one) => `${name}.${one}`);
const SCRIPTS = ["js", "cjs", "mjs", "ts", "cts", "mts"];

// biome-ignore format: one row a runner
const ROWS: readonly Row[] = [
  [/^mocha$/, named(".mocharc", "json", "jsonc", "js", "cjs", "yml", "yaml"), null],
  [/^jest$/, named("jest.config", "json", ...SCRIPTS), null],
  [/^jest$/, ["package.json"], /^\s*"jest"\s*:/],
  [/^(?:mocha|ava|tap)$/, ["package.json"], /^\s*"(?:mocha|ava|tap)"\s*:/],
  [/^vitest$/, named("vitest.config", ...SCRIPTS), null],
  [/^vitest$/, named("vite.config", ...SCRIPTS), /^\s*test\s*:/],
  [/^ava$/, named("ava.config", ...SCRIPTS), null],
  [/^(?:pytest|py\.test|tox|nox)$/, ["pytest.ini", ".pytest.ini"], null],
  [/^(?:pytest|py\.test|tox|nox)$/, ["pyproject.toml"], /^\[tool\.pytest/],
  [/^(?:pytest|py\.test|tox|nox)$/, ["tox.ini", "setup.cfg"], /^\[(?:tool:)?pytest\]/],
  [/^phpunit$/, ["phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"], null],
  [/^rspec$/, [".rspec"], null],
  [/^mix$/, ["mix.exs"], /^\s*test_(?:paths|pattern|load_filters|ignore_filters)\s*:|^\s*"?test[\w.]*"?\s*:\s*[[&"]|\baliases:\s*\[.*\btest\b/],
  [/^rake$/, ["Rakefile"], /TestTask\b|RakeTask\b|^\s*task\b.*\b(?:default|test|spec)\b/],
  [/^gradlew?$/, ["build.gradle", "build.gradle.kts"], /^\s*sourceSets\b|^\s*(?:tasks\.)?(?:test\b|withType[(<]\s*Test\b|named[(<].*\btest\b).*\{/],
  [/^mvnw?$/, ["pom.xml"], /<plugin>/],
  [/^cargo$/, [".cargo/config.toml", ".cargo/config"], null],
];

/** By file: what the runners among these words read. */
export async function runnerSettings(
  words: readonly string[],
  folder: (path: string) => string,
  read: Read,
): Promise<Map<string, string>> {
  const programs = words.map((word) => word.split("/").at(-1) ?? "");
  const found = new Map<string, string>();
  for (const [runner, files, section] of ROWS) {
    if (!programs.some((one) => runner.test(one))) continue;
    for (const path of files.map(folder)) {
      const text = await read(path);
      if (text === null) continue;
      const part = path.endsWith("pom.xml")
        ? pluginsOf(text)
        : section === null
          ? text
          : sectionsOf(text, section);
      const lines = part.split("\n").filter((line) => !HARMLESS.test(line));
      if (lines.length > 0) found.set(path, [found.get(path) ?? "", ...lines].join("\n"));
    }
  }
  return found;
}

/** Versions, schemas, warnings that are known, and limits, which are compared by themselves. */
const HARMLESS =
  /^\s*$|<version>|noNamespaceSchemaLocation|^\s*["']?ignore:|^\s*minversion\b|^\s*--(?:format|(?:force-)?colou?r|order|(?:no-)?profile|backtrace)\b|^\s*markers\s*=|^\s*"(?:mocha|jest|ava|tap)"\s*:\s*"[~^<>=\s]*\d[^"]*",?$|^\s*["']\w+: [^"'=]*["'],?$|<argLine>\s*(?:(?:-X[mxs]|[$@]\{)[^\s<]*\s*)+<|\b(?:thresholds?|coverageThreshold|lines|branches|functions|statements)["']?\s*:/;

/** Those that run tests. */
const pluginsOf = (text: string): string =>
  text
    .split("<plugin>")
    .slice(1)
    .map((part) => part.split("</plugin>", 1)[0] ?? "")
    .filter((part) => /maven-(?:surefire|failsafe)-plugin/.test(part))
    .join("\n");

const depthOf = (line: string): number => /^\s*/.exec(line)?.[0].length ?? 0;

function sectionsOf(text: string, head: RegExp): string {
  const lines = text.split("\n");
  const kept: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const first = lines[at] ?? "";
    if (!head.test(first)) continue;
    kept.push(first);
    const isTable = first.startsWith("[");
    const isPart = (line: string): boolean =>
      isTable ? !/^\[/.test(line) : line.trim() === "" || depthOf(line) > depthOf(first);
    if (!isTable && !/[{[(:]\s*$|\bdo\b(?:\s*\|.*\|)?\s*$/.test(first)) continue;
    while (at + 1 < lines.length && isPart(lines[at + 1] ?? "")) {
      at += 1;
      kept.push(lines[at] ?? "");
    }
  }
  return kept.join("\n");
}
