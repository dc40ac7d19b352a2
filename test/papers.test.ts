/**
 * The papers for those who change the program name files, folders and functions that exist: a newcomer looks for each of them. The names
 * in `docs` are those of files of the person and of other programs, too, so only the tests in them are checked.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");
const PAPERS = ["ARCHITECTURE.md", "AGENTS.md", "CONTRIBUTING.md"];
/** They come into being by a build or in a project. */
const MADE = /^dist(\/|$)/;

const below = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map(
    (path) => `${folder}/${path.replaceAll("\\", "/")}`,
  );
const paths = ["src", "test", "scripts", "docs", "bench"].flatMap(below);
const wordsOf = (path: string): string[] => readFileSync(join(ROOT, path), "utf8").match(/\w+/g) ?? [];
const words = new Set(
  paths.filter((path) => /^(src|test\/fixtures)\/.*\.tsx?$/.test(path)).flatMap((path) => wordsOf(path)),
);

/** The files and folders that have this path, or one that ends with it, with or without the ending of a source. */
const found = (path: string): string[] =>
  existsSync(join(ROOT, path))
    ? [path]
    : paths.filter((one) => ["", ".ts", ".tsx"].some((ending) => one.endsWith(`/${path}${ending}`)));

/** The names in code spans that do not exist. `a/b.c` may be the name c in the file a/b. */
function missing(text: string): string[] {
  const prose = text.replace(/^```[\s\S]*?^```$/gm, "");
  return [...prose.matchAll(/`([^`\n]+)`/g)]
    .map(([, span = ""]) => span)
    .filter((span) => {
      if (MADE.test(span)) return false;
      if (/^[\w.-]+(\/[\w.-]+)+\/?$/.test(span)) {
        const path = span.replace(/\/$/, "");
        const [, file = "", name] = /^(.+)\.(\w+)$/.exec(path) ?? [];
        return found(path).length === 0 && !(name && found(file).some((one) => wordsOf(one).includes(name)));
      }
      if (/^[\w-]+\.tsx?$/.test(span)) return found(span).length === 0;
      return /^[a-z]+[A-Z]\w*$|^[A-Z][a-z]\w+$|^[A-Z_]{4,}$/.test(span) && !words.has(span);
    });
}

it.each(PAPERS)("%s names what exists", (paper) => {
  expect(missing(readFileSync(join(ROOT, paper), "utf8"))).toEqual([]);
});

it("the tests that the page on security names exist", () => {
  const page = readFileSync(join(ROOT, "docs/security.md"), "utf8");
  const tests = [...page.matchAll(/(?:src|test)\/[\w/.-]+\.test\.ts/g)].map(([path]) => path);
  expect(tests.length).toBeGreaterThan(40);
  expect(tests.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

it("a name that is gone is found", () => {
  const gone =
    "`src/host/gone`, `member/gone.claim`, `member/current-task.goneAway`, `gone.ts`, `claimGone`, `GoneModel`";
  expect(missing(gone)).toHaveLength(6);
  expect(
    missing("`src/host/features`, `member/current-task.claim`, `compose.ts`, `TeamHost`, `npm ci`"),
  ).toEqual([]);
});
