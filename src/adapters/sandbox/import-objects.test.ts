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
import type { Reads } from "./reads.ts";

const READS: Reads = {
  git: "git",
  confine: async (program) => ({ ...program, ended: async () => null }),
};

const stage = () => {
  const repo = repository({ "a.txt": "a\n" });
  const to = join(repo.dir, ".git/objects");
  const own = join(repo.dir, "own");
  const from = join(own, "objects");
  for (const name of ["objects", "refs"]) mkdirSync(join(own, name), { recursive: true });
  writeFileSync(join(own, "HEAD"), "ref: refs/heads/none\n");
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
  return { repo, own, from, to, put, pathOf };
};
const blob = (text: string): Buffer => Buffer.from(`blob ${text.length}\0${text}`);

it("takes whole objects and leaves nothing behind", async () => {
  const { repo, own, from, to, put, pathOf } = stage();
  const id = put(blob("new"));
  expect(await importObjects(own, to, READS)).toEqual([]);
  expect(repo.git("cat-file", "blob", id)).toBe("new");
  expect(statSync(pathOf(id)).mode & 0o777).toBe(0o444);
  expect(readdirSync(join(from, id.slice(0, 2)))).toEqual([]);
});

it("leaves out another content, a wrong length, no header, and what is cut off", async () => {
  const { own, from, to, put, pathOf } = stage();
  const ids = [
    put(blob("x"), { id: "1".repeat(40) }),
    put(Buffer.from("blob 9\0x")),
    put(Buffer.from("blub 1\0x")),
    put(Buffer.from("")),
  ];
  const cut = put(blob("y".repeat(100)));
  const path = join(from, cut.slice(0, 2), cut.slice(2));
  writeFileSync(path, readFileSync(path).subarray(0, 8));
  const refused = await importObjects(own, to, READS);
  expect([...refused].sort()).toEqual([...ids, cut].sort());
  for (const id of [...ids, cut]) expect(existsSync(pathOf(id))).toBe(false);
});

it("replaces no object, also where it is the same", async () => {
  const { repo, own, to, put, pathOf } = stage();
  const id = repo.git("rev-parse", "HEAD:a.txt");
  const before = statSync(pathOf(id)).ino;
  put(blob("a\n"));
  expect(await importObjects(own, to, READS)).toEqual([]);
  expect(statSync(pathOf(id)).ino).toBe(before);
});

it("reads an object in pieces that is small only while it is compressed", async () => {
  const { repo, own, to, put } = stage();
  const id = put(Buffer.concat([Buffer.from("blob 70000000\0"), Buffer.alloc(70_000_000)]));
  expect(await importObjects(own, to, READS)).toEqual([]);
  expect(repo.git("cat-file", "-s", id)).toBe("70000000");
  expect(readdirSync(to).filter((name) => name.startsWith("tmp_"))).toEqual([]);
});

it("keeps what cannot be stored now", async () => {
  const { own, from, to, put } = stage();
  // The ids of commits depend on the time: one may be in the same folder.
  const ids = ["later", "later still", "last"].map((text) => put(blob(text)));
  const id = ids.find((one) => !existsSync(join(to, one.slice(0, 2)))) ?? "";
  writeFileSync(join(to, id.slice(0, 2)), "");
  await expect(importObjects(own, to, READS)).rejects.toThrow();
  expect(existsSync(join(from, id.slice(0, 2), id.slice(2)))).toBe(true);
});

it("keeps a pack where there is no git to read it", async () => {
  const { repo, own, from, to } = stage();
  repo.git("gc", "--quiet");
  const [pack = ""] = readdirSync(join(to, "pack")).filter((name) => name.endsWith(".pack"));
  mkdirSync(join(from, "pack"));
  for (const name of [pack, pack.replace(".pack", ".idx")]) {
    writeFileSync(join(from, "pack", name), readFileSync(join(to, "pack", name)));
    chmodSync(join(from, "pack", name), 0o600);
  }
  expect(await importObjects(own, to, { ...READS, git: null })).toEqual([]);
  expect(existsSync(join(from, "pack", pack))).toBe(true);
});
