/**
 * `npm run signals -- FOLDER… [--last N] [--gate COMMAND] [--skip N]`: the signals of tampering in the last commits of public histories, each commit
 * as if it were a candidate on its parent. Most of them are honest, so this is how often a second gate would run for nothing.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { signalsOf, told } from "../src/core/gate/tampering.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    last: { type: "string", default: "50" },
    skip: { type: "string", default: "0" },
    gate: { type: "string" },
    notes: { type: "boolean", default: false },
  },
});

/** The gate that a team would give such a project. */
const GATES: readonly (readonly [file: RegExp, gate: string])[] = [
  [/^package\.json$/, "npm test"],
  [/^composer\.json$/, "composer test"],
  [/^go\.mod$/, "go test ./..."],
  [/^Cargo\.toml$/, "cargo test"],
  [/^pom\.xml$/, "mvn -q verify"],
  [/^build\.gradle/, "./gradlew check"],
  [/^Rakefile$/, "bundle exec rake"],
  [/^Gemfile$/, "bundle exec rspec"],
  [/\.slnx?$/, "dotnet test"],
  [/^(?:pyproject\.toml|setup\.(?:py|cfg))$/, "pytest"],
];

/** A copy may lack large files, or the history before it. */
function diffOf(read: () => string): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}

const DIFF_MAX = 4_000_000;
const [all, named] = [{ commits: 0, named: 0, ms: 0 }, [] as string[]];

for (const given of positionals) {
  const folder = resolve(given);
  const git = (...args: string[]): string =>
    execFileSync("git", args, {
      cwd: folder,
      encoding: "utf8",
      maxBuffer: 1_000_000_000,
      stdio: ["ignore", "pipe", "ignore"],
    });
  const text = (commit: string) => async (path: string) => {
    try {
      return git("cat-file", "blob", `${commit}:${path}`);
    } catch {
      return null;
    }
  };
  const files = git("ls-tree", "--name-only", "HEAD").split("\n");
  const gate =
    values.gate ?? GATES.find(([file]) => files.some((name) => file.test(name)))?.[1] ?? "make test";
  const range = ["--no-merges", "--min-parents=1", "-n", values.last, `--skip=${values.skip}`];
  const commits = git("log", "--format=%H %s", ...range)
    .split("\n")
    .filter(Boolean);
  const name = existsSync(join(folder, "HEAD")) ? basename(join(folder, "..")) : basename(folder);
  let hits = 0;
  for (const line of commits) {
    const commit = line.slice(0, line.indexOf(" "));
    const flags = ["--no-renames", "--no-color", "--no-ext-diff", "--no-textconv"];
    const diff = diffOf(() => git("diff", ...flags, `${commit}^`, commit));
    if (diff === null || diff.length > DIFF_MAX) continue;
    all.commits += 1;
    const began = performance.now();
    const found = await signalsOf({
      ...{ diff, gate, judges: [], before: text(`${commit}^`), after: text(commit) },
    });
    all.ms += performance.now() - began;
    const shown = values.notes ? found : found.filter((one) => !one.isNote);
    if (!found.some((one) => !one.isNote)) continue;
    hits += 1;
    named.push(
      [
        `${name} ${line.slice(0, 9)} ${line.slice(41, 120)}`,
        ...shown.map((one) => `  [${one.kind}] ${told(one)}`),
      ].join("\n"),
    );
  }
  all.named += hits;
  console.log(`${name}: ${hits} of ${commits.length} (gate: ${gate})`);
}
console.log(`\n${named.join("\n")}\n`);
const part = ((100 * all.named) / Math.max(1, all.commits)).toFixed(1);
console.log(
  `${all.named} of ${all.commits} commits have signals (${part} %), ${(all.ms / Math.max(1, all.commits)).toFixed(1)} ms each`,
);
