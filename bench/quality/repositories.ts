/** Small repositories that are broken on purpose, each with its own tests. The same number and seed give the same repository. */
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Bodies of one function. `wrong`: what a hasty repair looks like; it fails at least one of `tests`. */
export type Piece = {
  readonly name: string;
  readonly args: string;
  readonly right: string;
  readonly broken: string;
  readonly wrong: readonly string[];
  /** An argument list, and what comes back. */
  readonly tests: readonly (readonly [string, string])[];
};

const piece = (
  name: string,
  args: string,
  bodies: readonly [right: string, broken: string, ...wrong: string[]],
  tests: Readonly<Record<string, string>>,
): Piece => {
  const [right, broken, ...wrong] = bodies;
  return { name, args, right, broken, wrong, tests: Object.entries(tests) };
};

const PIECES: readonly Piece[] = [
  piece(
    "clamp",
    "n, low, high",
    ["Math.min(high, Math.max(low, n))", "Math.max(high, Math.min(low, n))", "Math.max(low, n)"],
    { "5, 0, 3": "3", "-1, 0, 3": "0", "2, 0, 3": "2" },
  ),
  piece(
    "median",
    "list",
    [
      "((s) => s.length % 2 ? s[(s.length - 1) / 2] : (s[s.length / 2 - 1] + s[s.length / 2]) / 2)([...list].sort((a, b) => a - b))",
      "list[Math.floor(list.length / 2)]",
      "[...list].sort((a, b) => a - b)[Math.floor(list.length / 2)]",
    ],
    { "[3, 1, 2]": "2", "[4, 1, 2, 3]": "2.5", "[10, 9, 1]": "9" },
  ),
  piece(
    "initials",
    "name",
    [
      'name.trim().split(/\\s+/).map((word) => word[0].toUpperCase()).join("")',
      "name[0]",
      'name.split(" ").map((word) => (word[0] ?? "").toLowerCase()).join("")',
    ],
    { '"ada  lovelace"': '"AL"', '" grace hopper "': '"GH"' },
  ),
  piece("unique", "list", ["[...new Set(list)]", "list", "list.filter((one, i) => one !== list[i - 1])"], {
    "[1, 2, 1]": "[1, 2]",
    "[1, 1]": "[1]",
  }),
  piece(
    "leap",
    "year",
    ["(year % 4 === 0 && year % 100 !== 0) || year % 400 === 0", "year % 4 === 1", "year % 4 === 0"],
    { "2024": "true", "1900": "false", "2000": "true" },
  ),
  piece(
    "chunks",
    "list, size",
    [
      "Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, i * size + size))",
      "[list]",
      "Array.from({ length: Math.floor(list.length / size) }, (_, i) => list.slice(i * size, i * size + size))",
    ],
    { "[1, 2, 3], 2": "[[1, 2], [3]]", "[], 2": "[]" },
  ),
  piece(
    "slug",
    "text",
    [
      'text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "")',
      "text",
      'text.toLowerCase().replace(/ /g, "-")',
    ],
    { '"Hello, World!"': '"hello-world"', '"a b"': '"a-b"' },
  ),
  piece(
    "roman",
    "n",
    [
      '[[10, "X"], [9, "IX"], [5, "V"], [4, "IV"], [1, "I"]].reduce(([left, out], [v, s]) => [left % v, out + s.repeat(Math.floor(left / v))], [n, ""])[1]',
      '"I"',
      '"I".repeat(n)',
    ],
    { "4": '"IV"', "3": '"III"', "19": '"XIX"' },
  ),
  piece(
    "mean",
    "list",
    [
      "list.length === 0 ? 0 : list.reduce((a, b) => a + b, 0) / list.length",
      "list.reduce((a, b) => a + b, 1)",
      "list.reduce((a, b) => a + b, 0) / list.length",
    ],
    { "[1, 3]": "2", "[]": "0" },
  ),
  piece(
    "range",
    "from, to",
    [
      "Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i)",
      "[from, to]",
      "Array.from({ length: to - from + 1 }, (_, i) => from + i)",
    ],
    { "1, 4": "[1, 2, 3]", "4, 1": "[]" },
  ),
  piece(
    "words",
    "text",
    ['text.trim() === "" ? 0 : text.trim().split(/\\s+/).length', "text.length", 'text.split(" ").length'],
    { '"a b"': "2", '""': "0", '"a  b"': "2" },
  ),
  piece(
    "gcd",
    "a, b",
    [
      "((f) => f(f, Math.abs(a), Math.abs(b)))((f, x, y) => y === 0 ? x : f(f, y, x % y))",
      "Math.min(a, b)",
      "((f) => f(f, a, b))((f, x, y) => y === 0 ? x : f(f, y, x % y))",
    ],
    { "12, 18": "6", "-4, 6": "2" },
  ),
];

/** A piece that somebody else adds while a member works. */
export const ADDED = piece(
  "total",
  "list",
  ["list.reduce((a, b) => a + b, 0)", "0", "list.reduce((a, b) => a + b)"],
  { "[1, 2]": "3", "[]": "0" },
);

export const pieceNamed = (name: string): Piece | undefined =>
  [...PIECES, ADDED].find((one) => one.name === name);

export const source = ({ name, args }: Piece, body: string): string =>
  `export const ${name} = (${args}) => ${body};\n`;
const testOf = ({ name, tests }: Piece): string =>
  tests
    .map(([args, wanted]) => `check(${JSON.stringify(name)}, lib.${name}, [${args}], ${wanted});\n`)
    .join("");
const HEAD = `import { isDeepStrictEqual } from "node:util";
import * as lib from "./lib.mjs";
const check = (name, run, args, wanted) => {
  let got;
  try { got = run(...args); } catch (error) { got = error; }
  const ok = isDeepStrictEqual(got, wanted);
  console.log(\`\${ok ? "ok" : "not ok"} \${name}\`);
  if (!ok) process.exitCode = 1;
};
`;
export const ADDED_TEST = testOf(ADDED);

/** The folders of a repository, each with a library and its tests: one task for each, for another member. */
export const PARTS = ["a", "b"] as const;
export type Part = (typeof PARTS)[number];

export type Repository = {
  readonly dir: string;
  /** What is broken in each part. */
  readonly broken: Readonly<Record<Part, readonly Piece[]>>;
};

/** A number from 0 to 1 for each name: the same in every mode. */
export type Draw = (what: string) => number;

export async function makeRepository(dir: string, nth: number, draw: Draw): Promise<Repository> {
  const [a, b] = [makePart(dir, "a", 2 * nth, draw), makePart(dir, "b", 2 * nth + 1, draw)];
  const git = (...args: string[]) =>
    run("git", ["-c", "user.name=Pat", "-c", "user.email=pat@example.org", ...args], { cwd: dir });
  await git("init", "--quiet", "--initial-branch", "main");
  await git("add", "--all");
  await git("commit", "--quiet", "--message", "First");
  return { dir, broken: { a, b } };
}

function makePart(dir: string, part: Part, nth: number, draw: Draw): readonly Piece[] {
  const pieces = Array.from(
    { length: 4 },
    (_, i) => PIECES[(nth * 5 + i * (1 + (nth % 3))) % PIECES.length] as Piece,
  );
  const held = [...new Set(pieces)];
  const broken = held.slice(0, 1 + Math.floor(draw(`bugs ${part}`) * 2));
  const bodies = held.map((one) => source(one, broken.includes(one) ? one.broken : one.right));
  const folder = join(dir, part);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "lib.mjs"), bodies.join("\n"));
  writeFileSync(join(folder, "test.mjs"), HEAD + held.map(testOf).join(""));
  return broken;
}

/** Whether the tests of a part pass. */
export const passes = async (dir: string, part: Part): Promise<boolean> =>
  await run(process.execPath, ["test.mjs"], { cwd: join(dir, part), timeout: 30_000 }).then(
    () => true,
    () => false,
  );
