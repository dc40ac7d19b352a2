/** These tests check which folders of a workspace commands may write, where the home folder is in it. */
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { takeAway } from "../../../test/fixtures/take-away.ts";
import { PlaceReader, writableWords } from "./place.ts";

const NAMES = ["src", "notes", ".config", ".ssh", "bin", "Library"];

const NOTHING = { folders: [], links: [], secretFolders: [], secretFiles: [] };

it("keeps all of a home folder but its visible folders from commands", () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "ekiden-home-")));
  onTestFinished(() => takeAway(home));
  for (const name of NAMES) mkdirSync(join(home, name));
  writeFileSync(join(home, "todo.txt"), "");
  symlinkSync(".ssh", join(home, "keys"));
  const { PATH } = process.env;
  onTestFinished(() => {
    process.env.PATH = PATH;
  });
  mkdirSync(join(home, "tools/bin"), { recursive: true });
  process.env.PATH = `${join(home, "tools/bin")}:${PATH}`;
  const rootsIn = (workspace: string): readonly string[] =>
    new PlaceReader({
      workspace,
      home,
      replaced: [],
      inWorktrees: false,
      objects: null,
    }).read(workspace, {}, NOTHING).roots;
  expect(rootsIn(home).toSorted()).toEqual([join(home, "notes"), join(home, "src")]);
  expect(rootsIn(join(home, "src"))).toEqual([join(home, "src")]);
  expect(rootsIn(join(home, ".."))).toEqual([]);
});

it("says so at the start", () => {
  expect(writableWords("/home/pat/src", "/home/pat")).toBe("the workspace and to private folders");
  expect(writableWords("/home/pat", "/home/pat")).toContain("because it is your home folder");
  expect(writableWords("/home", "/home/pat")).toContain("because the workspace holds your home folder");
});
