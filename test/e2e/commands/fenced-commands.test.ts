/**
 * Runs the commands of the documents as a reader types them: the `sh` blocks of a document in order, in one fresh folder, without a key, a terminal
 * and settings. A block behind `sh not-run` needs a person, a login or another machine; behind `sh exits=N` it ends with that code.
 */
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { marked } from "marked";
import { describe, expect, it, onTestFinished, type TestContext } from "vitest";
import { ROOT } from "../../../scripts/fresh.ts";
import { sampled } from "../../fixtures/fuzz.ts";
import { EKIDEN, ended, Project } from "../cli-program.ts";

/** They begin in an empty folder. A guide begins in a project of its reader: a git repository with the runbooks that guides name, and a team. */
const FROM_NOTHING = ["README.md", "docs/start.md", "docs/moving.md"];
const RUNBOOKS = ["plan.md", "big.md"];
const RUNBOOK =
  "# Two files\n\n## One\n\n```sh\necho 1 > one\n```\n\n## Two\n\nAfter: One\n\n```sh\necho 2 > two\n```\n";
const BLOCK_MS = 90_000;

type Block = { readonly text: string; readonly code: number };

/** The blocks that can be run, with the exit code that each has. @throws for a word behind `sh` that means nothing */
function blocksOf(document: string): Block[] {
  const blocks: Block[] = [];
  void marked.walkTokens(marked.lexer(document), (token) => {
    if (token.type !== "code") return;
    const [language, ...words] = (token.lang ?? "").split(" ");
    if (language !== "sh") return;
    const code = words.length === 0 ? "0" : /^exits=(\d+)$/.exec(words.join(" "))?.[1];
    if (code !== undefined) blocks.push({ text: token.text, code: Number(code) });
    else if (words.join(" ") !== "not-run") throw new Error(`"sh ${words.join(" ")}" is not known`);
  });
  return blocks;
}

/** A folder with `ekiden` on the path. Blocks share it, and each continues in the folder in which the last one ended. */
class Reader {
  private readonly project = new Project();
  private readonly bin = join(this.project.home, "bin");
  private readonly place = join(this.project.home, "place");

  constructor() {
    mkdirSync(this.bin);
    writeFileSync(join(this.bin, "ekiden"), `#!/bin/sh\nexec ${EKIDEN} "$@"\n`, { mode: 0o755 });
    writeFileSync(this.place, this.project.dir);
  }

  /** Makes the folder a project of a person. */
  async own(): Promise<void> {
    this.project.write(Object.fromEntries(RUNBOOKS.map((path) => [path, RUNBOOK])));
    const commands = ["init -q -b main", "config user.name Reader", "config user.email reader@example.com"];
    const git = [...commands, "add .", "commit -q -m Plans"].map((words) => `git ${words}`);
    const text = [...git, "ekiden teams create default"].join("\n");
    expect(await this.types({ text, code: 0 })).toMatchObject({ code: 0 });
  }

  async types({ text }: Block): Promise<{ readonly code: number | null; readonly shown: string }> {
    const script = join(this.project.home, "block.sh");
    writeFileSync(script, `trap 'pwd > "${this.place}"' EXIT\n${text}\n`);
    const child = spawn("sh", ["-e", script], {
      cwd: readFileSync(this.place, "utf8").trim(),
      env: { PATH: `${this.bin}:${process.env.PATH ?? ""}`, HOME: this.project.home, LANG: "C.UTF-8" },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    const { pid } = child;
    const stuck = setTimeout(() => pid && process.kill(-pid, "SIGKILL"), BLOCK_MS);
    const { code, stdout, stderr } = await ended(child).finally(() => clearTimeout(stuck));
    return { code, shown: `${stdout}${stderr}` };
  }

  end(): Promise<void> {
    return this.project.end();
  }
}

/** Runs the blocks of a document until one ends otherwise than it says; resolves with what is wrong. */
async function wrongIn(path: string, { onTestFinished }: TestContext): Promise<string | null> {
  const reader = new Reader();
  onTestFinished(() => reader.end());
  if (!FROM_NOTHING.includes(path)) await reader.own();
  for (const block of blocksOf(textOf(path))) {
    const { code, shown } = await reader.types(block);
    if (code !== block.code)
      return `${path}: ended with ${code} and not with ${block.code}:\n${block.text}\n\n${shown}`;
  }
  return null;
}

const textOf = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const guides = readdirSync(join(ROOT, "docs")).filter((name) => name.endsWith(".md"));
const documents = [...new Set([...FROM_NOTHING, ...guides.map((name) => `docs/${name}`)])];
const LONGEST = "docs/start.md";

// Two at once, and no more: others use the machine, too.
describe.concurrent("commands in documents do what it says there", () => {
  it("the first hour", async (test) => {
    expect(blocksOf(textOf(LONGEST)).length).toBeGreaterThan(8);
    expect(await wrongIn(LONGEST, test)).toBe(null);
  }, 300_000);

  it("README and the guides", async (test) => {
    const others = documents.filter((path) => path !== LONGEST && blocksOf(textOf(path)).length > 0);
    const wrong: string[] = [];
    for (const path of sampled(others, 2)) {
      const found = await wrongIn(path, test);
      if (found !== null) wrong.push(found);
    }
    expect(others).toContain("README.md");
    expect(wrong).toEqual([]);
  }, 300_000);
});

it("a block that ends otherwise, and a word that is not known, are found", async () => {
  const block = (words: string, text: string) => `\`\`\`sh${words}\n${text}\n\`\`\`\n`;
  const document = block("", "true") + block(" not-run", "false") + block(" exits=3", "exit 3");
  expect(blocksOf(document)).toEqual([
    { text: "true", code: 0 },
    { text: "exit 3", code: 3 },
  ]);
  expect(() => blocksOf(block(" notrun", "false"))).toThrow('"sh notrun" is not known');
  const reader = new Reader();
  onTestFinished(() => reader.end());
  expect(await reader.types({ text: "mkdir a && cd a\nfalse\necho not here", code: 0 })).toEqual({
    code: 1,
    shown: "",
  });
  expect((await reader.types({ text: "pwd; cat", code: 0 })).shown).toMatch(/\/a\n$/);
});
