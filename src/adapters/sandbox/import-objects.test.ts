/** These tests check what is taken over of a folder of git objects that a command has written: whole objects under the names of their content. */
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { deflateSync } from "node:zlib";
import { expect, it } from "vitest";
import { repository } from "../../../test/fixtures/repository.ts";
import { importObjects } from "./import-objects.ts";

const stage = () => {
  const repo = repository({ "a.txt": "a\n" });
  const to = join(repo.dir, ".git/objects");
  const from = join(repo.dir, "own");
  mkdirSync(from);
  const put = (
    content: Buffer,
    { id = createHash("sha1").update(content).digest("hex"), file = "" } = {},
  ) => {
    const path = file || join(from, id.slice(0, 2), id.slice(2));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, deflateSync(content));
    return id;
  };
  const pathOf = (id: string): string => join(to, id.slice(0, 2), id.slice(2));
  return { repo, from, to, put, pathOf };
};
const blob = (text: string): Buffer => Buffer.from(`blob ${text.length}\0${text}`);

it("takes whole objects and leaves nothing behind", async () => {
  const { repo, from, to, put, pathOf } = stage();
  const id = put(blob("new"));
  expect(await importObjects(from, to, "git")).toEqual([]);
  expect(repo.git("cat-file", "blob", id)).toBe("new");
  expect(statSync(pathOf(id)).mode & 0o777).toBe(0o444);
  expect(readdirSync(join(from, id.slice(0, 2)))).toEqual([]);
});

it("leaves out another content, a wrong length, no header, and what is cut off", async () => {
  const { from, to, put, pathOf } = stage();
  const ids = [
    put(blob("x"), { id: "1".repeat(40) }),
    put(Buffer.from("blob 9\0x")),
    put(Buffer.from("blub 1\0x")),
    put(Buffer.from("")),
  ];
  const cut = put(blob("y".repeat(100)));
  const path = join(from, cut.slice(0, 2), cut.slice(2));
  writeFileSync(path, readFileSync(path).subarray(0, 8));
  const refused = await importObjects(from, to, "git");
  expect([...refused].sort()).toEqual([...ids, cut].sort());
  for (const id of [...ids, cut]) expect(existsSync(pathOf(id))).toBe(false);
});

it("replaces no object, also where it is the same", async () => {
  const { repo, from, to, put, pathOf } = stage();
  const id = repo.git("rev-parse", "HEAD:a.txt");
  const before = statSync(pathOf(id)).ino;
  put(blob("a\n"));
  expect(await importObjects(from, to, "git")).toEqual([]);
  expect(statSync(pathOf(id)).ino).toBe(before);
});

it("reads an object in pieces that is small only while it is compressed", async () => {
  const { repo, from, to, put } = stage();
  const id = put(Buffer.concat([Buffer.from("blob 70000000\0"), Buffer.alloc(70_000_000)]));
  expect(await importObjects(from, to, "git")).toEqual([]);
  expect(repo.git("cat-file", "-s", id)).toBe("70000000");
  expect(readdirSync(to).filter((name) => name.startsWith("tmp_"))).toEqual([]);
});

it("keeps what cannot be stored now", async () => {
  const { from, to, put } = stage();
  const id = put(blob("later"));
  writeFileSync(join(to, id.slice(0, 2)), "");
  await expect(importObjects(from, to, "git")).rejects.toThrow();
  expect(existsSync(join(from, id.slice(0, 2), id.slice(2)))).toBe(true);
});

it("keeps a pack where there is no git to read it", async () => {
  const { repo, from, to } = stage();
  repo.git("gc", "--quiet");
  const [pack = ""] = readdirSync(join(to, "pack")).filter((name) => name.endsWith(".pack"));
  mkdirSync(join(from, "pack"));
  for (const name of [pack, pack.replace(".pack", ".idx")]) {
    writeFileSync(join(from, "pack", name), readFileSync(join(to, "pack", name)));
    chmodSync(join(from, "pack", name), 0o600);
  }
  expect(await importObjects(from, to, null)).toEqual([]);
  expect(existsSync(join(from, "pack", pack))).toBe(true);
});
