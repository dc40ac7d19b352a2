import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { instant } from "../../core/ids.ts";
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
    expect(await know("build", "npm")).toBe("stored");
    expect(await know("checks", "npm  test")).toBe("known");
    expect(await memory.topics()).toHaveLength(1);
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
    ["a", "x".repeat(2_001), "the limit is 2000"],
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

it("takes no further topic once it is full, and more notes on those that it has", async () => {
  for (let i = 0; i < 40; i += 1) await know(`t${i}`, `fact ${i}.`);
  await expect(know("new", "one")).rejects.toThrow(/has 40 topics .* Use one of its topics: t0, t1, .*t39\./);
  expect(await know("t0", "one")).toBe("stored");
  expect(await know("new", "one")).toBe("known");
  await lay("loose.md", "by hand\n");
  expect(await know("loose", "two")).toBe("stored");
  expect(await memory.index()).not.toContain("loose");
});

it("keeps no known secret", async () => {
  const other = new MemoryFolder(project, (text) => text.replaceAll("correct-horse", "[secret X]"));
  await other.remember({ topic: "deploy", text: "The word is correct-horse" }, "alice", instant(1));
  expect(await other.recall("deploy")).toContain("The word is [secret X]");
});
