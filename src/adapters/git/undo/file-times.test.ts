import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { FUZZ, randomFrom } from "../../../../test/fixtures/fuzz.ts";
import { repository } from "../../../../test/fixtures/repository.ts";
import { OwnRepository } from "./own-repository.ts";
import { WatchedFolder } from "./watched-folder.ts";

const env = { PATH: process.env.PATH ?? "" };

function watched() {
  const repo = repository({ "a.txt": "a\n", "in/b.txt": "b\n", ".gitignore": "ignored/\n*.log\n" });
  mkdirSync(join(repo.dir, ".ekiden"));
  const own = new OwnRepository(repo.dir, null, env);
  const starts: string[] = [];
  const git = own.git.bind(own);
  own.git = (args, how) => {
    starts.push(args[0] ?? "");
    return git(args, how);
  };
  return { dir: repo.dir, folder: new WatchedFolder(own, repo.dir), starts };
}

/** Path → mode and content, of what is recorded. */
function filesOf(dir: string, below = ""): Map<string, string> {
  const found = new Map<string, string>();
  for (const entry of readdirSync(join(dir, below), { withFileTypes: true })) {
    const path = join(below, entry.name);
    if ([".git", ".ekiden", "ignored"].includes(path) || path.endsWith(".log")) continue;
    if (entry.isDirectory()) for (const [name, file] of filesOf(dir, path)) found.set(name, file);
    else
      found.set(
        path,
        `${lstatSync(join(dir, path)).mode & 0o100} ${readFileSync(join(dir, path), "latin1")}`,
      );
  }
  return found;
}

it("starts no git where nothing has changed, also in a folder that is ignored", async () => {
  const { dir, folder, starts } = watched();
  mkdirSync(join(dir, "ignored/deep"), { recursive: true });
  // What is as old as the look is looked at once more.
  for (const path of ["a.txt", "in/b.txt", "."]) utimesSync(join(dir, path), 1, 1);
  await folder.look();
  await expect
    .poll(async () => {
      starts.length = 0;
      await folder.look();
      return starts;
    })
    .toEqual([]);
  writeFileSync(join(dir, "ignored/deep/x"), "x");
  expect(await folder.look()).toEqual({ paths: [], left: [] });
  writeFileSync(join(dir, "in/new.txt"), "x");
  expect((await folder.look()).paths.map(({ path }) => path)).toEqual(["in/new.txt"]);
});

it("sees a file that changes again right after a look, and one in a folder that had none", async () => {
  const { dir, folder } = watched();
  const pathsAfter = async (path: string, text: string) => {
    writeFileSync(join(dir, path), text);
    return (await folder.look()).paths.map((one) => one.path);
  };
  await folder.look();
  for (let nth = 0; nth < 10; nth += 1) expect(await pathsAfter("a.txt", `${nth}`)).toEqual(["a.txt"]);
  mkdirSync(join(dir, "new/deep/er"), { recursive: true });
  for (let nth = 0; nth < 3; nth += 1) expect(await folder.look()).toEqual({ paths: [], left: [] });
  expect(await pathsAfter("new/deep/er/x.txt", "x")).toEqual(["new/deep/er/x.txt"]);
});

it("sees each change, whatever changes right after a look", async () => {
  const { dir, folder } = watched();
  const random = randomFrom(FUZZ.seed);
  const pick = <T>(list: readonly T[]): T | undefined => list[random(list.length)];
  const places = [".", "in", "new", "new/deep", "new/deep/er", "other", "ignored", "ignored/x"];
  const acts: ((file: string, place: string) => void)[] = [
    (_, place) => writeFileSync(join(dir, place, `${random(5)}.txt`), `${random(10)}`),
    (_, place) => writeFileSync(join(dir, place, `${random(5)}.log`), "log"),
    (file) => writeFileSync(join(dir, file), `${random(10)}`),
    (file) => rmSync(join(dir, file)),
    (file) => chmodSync(join(dir, file), random(2) === 0 ? 0o644 : 0o755),
    (file, place) => renameSync(join(dir, file), join(dir, place, `${random(5)}.txt`)),
    (_, place) => place !== "." && rmSync(join(dir, place), { recursive: true, force: true }),
    (_, place) => place !== "." && renameSync(join(dir, place), join(dir, `${place}-${random(3)}`)),
    (file) => utimesSync(join(dir, file), 1, statSync(join(dir, file)).mtimeMs / 1000),
  ];
  await folder.look();
  for (let nth = 0; nth < 150; nth += 1) {
    const before = filesOf(dir);
    for (let times = random(3); times >= 0; times -= 1) {
      const place = pick(places) ?? ".";
      // A folder without files, which git does not know.
      if (random(2) === 0) mkdirSync(join(dir, place), { recursive: true });
      const file = pick([...filesOf(dir).keys()].filter((path) => path !== ".gitignore")) ?? "a.txt";
      if (existsSync(join(dir, place)) && existsSync(join(dir, file))) {
        try {
          pick(acts)?.(file, place);
        } catch {
          // Such as a file over a folder.
        }
      }
      // A look between the two acts, without a pause.
      if (times > 0 && random(3) === 0) break;
    }
    const after = filesOf(dir);
    const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
      (path) => before.get(path) !== after.get(path),
    );
    const seen = (await folder.look()).paths.map(({ path }) => path);
    expect(seen.sort(), `step ${nth}`).toEqual(changed.sort());
  }
});
