import { mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { instant } from "../../core/ids.ts";
import type { Note } from "../../core/project/memory.ts";
import { MemoryFolder } from "./memory.ts";

const AT = instant(Date.UTC(2026, 0, 2, 3, 4, 5));
let project: string;
let memory: MemoryFolder;

beforeEach(async () => {
  project = await mkdtemp(join(tmpdir(), "ekiden-memory-"));
  memory = new MemoryFolder(project);
});
afterEach(() => rm(project, { recursive: true, force: true }));

const file = (...parts: string[]): string => join(memory.folder, ...parts);
const lay = async (name: string, text: string): Promise<void> => {
  await mkdir(memory.folder, { recursive: true });
  await writeFile(file(name), text);
};
const know = (topic: string, text: string): Promise<unknown> => memory.remember({ topic, text }, "alice", AT);

/** Everything that stands in the folder, path by path. */
async function everything(): Promise<Record<string, string>> {
  const paths = await readdir(memory.folder, { recursive: true, withFileTypes: true });
  const files = paths.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = await Promise.all(files.map((path) => readFile(path, "utf8")));
  return Object.fromEntries(files.map((path, i) => [path.slice(memory.folder.length + 1), texts[i] ?? ""]));
}

describe("remembering", () => {
  it("makes an index and a file a topic", async () => {
    expect(await memory.exists()).toBe(false);
    expect(await memory.index()).toBe("");
    await know("Build & Test", "npm test needs PostgreSQL");
    await know("build-test", "two\nlines");
    await know("people", "Ada wants small commits");
    expect(await everything()).toEqual({
      "MEMORY.md":
        "# Memory\n\n- [build-test](build-test.md): npm test needs PostgreSQL\n- [people](people.md): Ada wants small commits\n",
      "build-test.md":
        "- npm test needs PostgreSQL (alice, 2026-01-02)\n- two\n  lines (alice, 2026-01-02)\n",
      "people.md": "- Ada wants small commits (alice, 2026-01-02)\n",
    });
    expect(await memory.recall(" People ")).toBe("- Ada wants small commits (alice, 2026-01-02)\n");
    expect(await memory.exists()).toBe(true);
  });

  it("keeps a fact once", async () => {
    expect(await know("build", "npm test")).toBe("stored");
    expect(await memory.remember({ topic: "build", text: "npm test" }, "bob", AT)).toBe("known");
    expect(await know("build", "npm test -- unit")).toBe("stored");
  });

  it("loses none of many notes at once", async () => {
    await Promise.all(Array.from({ length: 50 }, (_, i) => know(`t${i % 5}`, `fact ${i}.`)));
    const all = Object.values(await everything()).join("");
    for (let i = 0; i < 50; i += 1) expect(all).toContain(`- fact ${i}. (alice`);
    expect(await memory.topics()).toHaveLength(5);
  });

  it("leaves what a person wrote, and finds files without a line in the index", async () => {
    await lay("MEMORY.md", "My words\n- [build](how-to-build.md) - by hand");
    await lay("how-to-build.md", "make all");
    await lay("Loose.md", "# About\nloose ends");
    await know("build", "make check");
    await know("loose", "more");
    expect(await memory.index()).toBe(
      "My words\n- [build](how-to-build.md) - by hand\n- [loose](Loose.md): About\n",
    );
    expect(await memory.recall("build")).toBe("make all\n- make check (alice, 2026-01-02)\n");
    expect(await memory.recall("loose")).toContain("- more");
  });

  it.each([
    ["", "a", "not a usable topic"],
    ["../..", "a", "not a usable topic"],
    ["x".repeat(41), "a", "not a usable topic"],
    ["a", " ", "is empty"],
    ["a", "x".repeat(2_001), "at most 2000"],
    ["a", `the password: ${"hunter22"}`, "seems to hold a secret that is written out"],
  ])("refuses topic %j with text %j", async (topic, text, message) => {
    await expect(know(topic, text)).rejects.toThrow(message);
    expect(await memory.exists()).toBe(false);
  });

  it("says what there is when a topic is unknown", async () => {
    await expect(memory.recall("x")).rejects.toThrow("There are no topics yet.");
    await know("build", "a");
    await expect(memory.recall("bild")).rejects.toThrow('Did you mean "build"? The topics: build.');
    await expect(memory.recall("../../package")).rejects.toThrow("Nothing is remembered");
  });

  it("neither reads nor writes through a link", async () => {
    const outside = join(project, "outside.txt");
    await writeFile(outside, "private");
    await lay("MEMORY.md", "- [link](link.md): x\n- [up](../../outside.txt): y\n");
    await symlink(outside, file("link.md"));
    await expect(memory.recall("link")).rejects.toThrow("Nothing is remembered");
    await expect(memory.recall("up")).rejects.toThrow("Nothing is remembered");
    await expect(know("link", "a")).rejects.toThrow();
    expect(await readFile(outside, "utf8")).toBe("private");
  });
});

describe("consolidation", () => {
  const MERGED: Note[] = [
    { topic: "build", text: "- npm test, with PostgreSQL" },
    { topic: "people", text: "- Ada wants small commits (alice, 2026-01-02)" },
  ];
  beforeEach(async () => {
    await know("build", "npm test");
    await know("test", "needs PostgreSQL");
    await know("people", "Ada wants small commits");
  });

  it("replaces topics, keeps the unchanged ones, and archives what it replaced", async () => {
    await writeFile(file("MEMORY.md"), `By hand.\n\n${await memory.index()}`);
    const before = await everything();
    const done = await memory.consolidate(async (topics) => {
      expect(topics.map(({ topic }) => topic)).toEqual(["build", "test", "people"]);
      return MERGED;
    }, AT);
    expect(done).toMatchObject({ kind: "done", before: 3, after: 2 });
    const after = await everything();
    const archive = "archive/2026-01-02T03-04-05-000Z";
    expect(after[`${archive}/MEMORY.md`]).toBe(before["MEMORY.md"]);
    expect(after[`${archive}/build.md`]).toBe(before["build.md"]);
    expect(after[`${archive}/test.md`]).toBe(before["test.md"]);
    expect(after["people.md"]).toBe(before["people.md"]);
    expect(Object.keys(after)).toHaveLength(6);
    expect(await memory.index()).toMatch(
      /^By hand.\n\n# Memory\n\n- \[build\]\(build-\w{10}.md\): npm test, with PostgreSQL\n- \[people\]\(people.md\): Ada wants small commits\n$/,
    );
    expect(await memory.recall("build")).toBe("- npm test, with PostgreSQL\n");
    await know("build", "later");
    expect(await memory.recall("build")).toContain("- later");
  });

  it.each<[string, () => Promise<Note[]>]>([
    ["the merge fails", () => Promise.reject(new Error("model down"))],
    ["the merge forgets everything", async () => []],
    ["the merge answers nonsense", async () => [{ topic: "///", text: "x" }]],
    [
      "the second topic is nonsense",
      async () => [
        { topic: "a", text: "x" },
        { topic: "", text: "y" },
      ],
    ],
  ])("leaves memory as it was when %s", async (_, merge) => {
    const before = await everything();
    await expect(memory.consolidate(merge, AT)).rejects.toThrow();
    expect(await everything()).toEqual(before);
  });

  it("leaves memory as it was when there is no place for the archive", async () => {
    await writeFile(file("archive"), "in the way");
    const before = await everything();
    await expect(memory.consolidate(async () => MERGED, AT)).rejects.toThrow();
    expect(await everything()).toEqual(before);
  });

  it("gives way to a note that came meanwhile", async () => {
    const done = await memory.consolidate(async () => {
      await know("build", "news");
      return MERGED;
    }, AT);
    expect(done).toEqual({ kind: "changed" });
    expect(await memory.topics()).toHaveLength(3);
    expect(await memory.recall("build")).toContain("news");
    expect(Object.keys(await everything()).sort()).toEqual(["MEMORY.md", "build.md", "people.md", "test.md"]);
  });

  it("happens once at a time, also over processes, and outlives a lock that was left behind", async () => {
    const other = new MemoryFolder(project);
    const inner: unknown[] = [];
    await memory.consolidate(async () => {
      inner.push(await other.consolidate(async () => MERGED, AT));
      return MERGED;
    }, AT);
    expect(inner).toEqual([{ kind: "busy" }]);
    await writeFile(file(".consolidating"), "");
    expect(await other.consolidate(async () => MERGED, AT)).toEqual({ kind: "busy" });
    await utimes(file(".consolidating"), new Date(0), new Date(0));
    expect(await other.consolidate(async () => MERGED, AT)).toMatchObject({ kind: "done" });
  });
});

it("keeps no known secret", async () => {
  const other = new MemoryFolder(project, (text) => text.replaceAll("correct-horse", "[secret X]"));
  await other.remember({ topic: "deploy", text: "The word is correct-horse" }, "alice", instant(1));
  expect(await other.recall("deploy")).toContain("The word is [secret X]");
});
