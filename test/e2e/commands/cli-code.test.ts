/** Compiled code that is kept beside the built program: the next start uses it, and no state of its folder keeps the program from work. */
import { execFileSync } from "node:child_process";
import {
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { ROOT } from "../../../scripts/fresh.ts";

/** The built program without kept code, in a folder of its own that is also its home. */
function copied(): string {
  const folder = mkdtempSync(join(tmpdir(), "ekiden-code-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const filter = (path: string): boolean => !/\/dist\/(\.code|web)$/.test(path);
  cpSync(join(ROOT, "dist"), join(folder, "dist"), { recursive: true, filter });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"), "dir");
  return folder;
}

function ekiden(folder: string, ...words: string[]): string {
  const env = { PATH: process.env.PATH ?? "", HOME: folder, XDG_CONFIG_HOME: folder, EKIDEN_SANDBOX: "off" };
  return execFileSync(process.execPath, [join(folder, "dist/main.js"), ...words], {
    cwd: folder,
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
}

type Kept = { readonly path: string; readonly at: number };
/** A file that V8 refused, or that was missing, is written again. */
function kept(folder: string, place = "dist/.code"): Kept[] {
  const code = join(folder, place);
  const paths = readdirSync(code, { recursive: true, encoding: "utf8" }).map((path) => join(code, path));
  return paths.filter((path) => path.endsWith(".js")).map((path) => ({ path, at: statSync(path).mtimeMs }));
}

/** The person's folder for code that cannot be kept beside the program. */
const OWN =
  process.platform === "darwin" ? "Library/Application Support/ekiden/code" : ".local/share/ekiden/code";

const PLAN = "# Plan\n\n## One\n\n```sh\necho one\n```\n";

it("keeps the code of a run, and the next run uses it as it is", { timeout: 120_000 }, () => {
  const folder = copied();
  writeFileSync(join(folder, "plan.md"), PLAN);
  ekiden(folder, "run", "plan.md", "--quiet");
  const first = kept(folder);
  expect(first.map(({ path }) => path)).toContainEqual(expect.stringMatching(/-run\/host-[^/]*\.js$/));
  ekiden(folder, "run", "plan.md", "--quiet", "--fresh");
  // The end of a run may come after the last moment at which code is kept.
  expect(kept(folder)).toEqual(expect.arrayContaining(first));
});

it("compiles again, and keeps that, where the kept code is damaged or of something else", () => {
  const folder = copied();
  const help = ekiden(folder, "--help");
  const whole = kept(folder);
  expect(whole.length).toBeGreaterThan(2);
  for (const { path } of whole) writeFileSync(path, readFileSync(path).subarray(0, 100));
  expect(ekiden(folder, "--help")).toBe(help);
  for (const { path } of whole) expect(statSync(path).size).toBeGreaterThan(100);
  const [one = "", other = ""] = whole.map(({ path }) => path);
  cpSync(one, other);
  expect(ekiden(folder, "--help")).toBe(help);
  for (const { path } of whole) writeFileSync(path, "");
  expect(ekiden(folder, "--help")).toBe(help);
});

it("keeps it in the folder of the person where the program cannot be written", () => {
  const folder = copied();
  writeFileSync(join(folder, "dist/.code"), "not a folder");
  const help = ekiden(folder, "--help");
  const first = kept(folder, OWN);
  expect(first.length).toBeGreaterThan(2);
  expect(statSync(join(folder, OWN)).mode & 0o777).toBe(0o700);
  expect(ekiden(folder, "--help")).toBe(help);
  expect(kept(folder, OWN)).toEqual(first);
  expect(readFileSync(join(folder, "dist/.code"), "utf8")).toBe("not a folder");
});

it("works where nothing can be kept, and leaves nothing behind", () => {
  const folder = copied();
  for (const path of ["dist/.code", ".local"]) writeFileSync(join(folder, path), "not a folder");
  expect(ekiden(folder, "--version")).toMatch(/^\d+\.\d+\.\d+/);
  expect(ekiden(folder, "--help")).toContain("Usage: ekiden");
  expect(readFileSync(join(folder, "dist/.code"), "utf8")).toBe("not a folder");
});

it.skipIf(process.getuid?.() !== 0)("uses no code of another user", () => {
  const folder = copied();
  writeFileSync(join(folder, "dist/.code"), "not a folder");
  mkdirSync(join(folder, OWN), { recursive: true });
  chownSync(join(folder, OWN), 65534, 65534);
  expect(ekiden(folder, "--help")).toContain("Usage: ekiden");
  expect(kept(folder, OWN)).toEqual([]);
});

it("keeps nothing of a command that failed", () => {
  const folder = copied();
  mkdirSync(join(folder, "dist/.code"));
  expect(() => ekiden(folder, "tasks", "--jsn")).toThrow();
  expect(kept(folder)).toEqual([]);
});

it("does not publish kept code", () => {
  ekidenHere();
  const packed = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: ROOT,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [{ files }] = JSON.parse(packed) as [{ files: { path: string }[] }];
  const paths = files.map(({ path }) => path);
  expect(paths).toContain("dist/main.js");
  expect(paths).toContain("dist/package.json");
  expect(paths.filter((path) => path.includes(".code"))).toEqual([]);
});

/** Leaves kept code in the program of this clone. */
function ekidenHere(): void {
  execFileSync(process.execPath, [join(ROOT, "dist/main.js"), "--help"], { stdio: "ignore" });
  expect(readdirSync(join(ROOT, "dist/.code")).length).toBeGreaterThan(0);
}
