/** grep and glob run ripgrep. A folder that becomes a link in that moment shows them no more than it shows a command. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSandbox } from "../../../src/adapters/sandbox/index.ts";
import { createShell } from "../../../src/adapters/shell/index.ts";
import type { Sandbox, Shell, Tool, ToolContext } from "../../../src/ports/index.ts";
import { glob } from "../../../src/tools/files/glob.ts";
import { grep } from "../../../src/tools/files/grep.ts";
import { bubblewrapOrSkip } from "../../fixtures/bubblewrap.ts";
import { takeAway } from "../../fixtures/take-away.ts";

let top: string;
let workspace: string;
let sandbox: Sandbox;
let shell: Shell;

beforeAll(() => {
  top = realpathSync(mkdtempSync(join(homedir(), "ekiden-searches-")));
  workspace = join(top, "workspace");
  for (const folder of ["workspace/folder/deep", "own/skills/one"])
    mkdirSync(join(top, folder), { recursive: true });
  writeFileSync(join(workspace, "folder/file"), "inside\n");
  writeFileSync(join(workspace, "folder/deep/file"), "inside\n");
  writeFileSync(join(top, "own/keys"), "SECRET\n");
  writeFileSync(join(top, "own/skills/one/SKILL.md"), "how to\n");
  sandbox = createSandbox({
    ...{ mode: "required", network: "off", workspace, ownFolders: [join(top, "own")] },
    ...{ stateFolder: join(top, "state"), cacheFolder: join(top, "caches") },
  });
  shell = createShell({ outputDir: join(top, "output"), sandbox });
});
afterAll(async () => {
  await shell.close();
  await sandbox.close();
  takeAway(top);
});

/** The last moment before ripgrep starts. */
function call(tool: Tool, input: unknown, between = (): void => {}): Promise<string> {
  const exec: Shell["exec"] = (...given) => {
    between();
    return shell.exec(...given);
  };
  const signal = new AbortController().signal;
  const readable = [join(top, "own/skills/one")];
  const ctx = { workspace, store: {}, readable, signal, shell: { ...shell, exec } } as unknown as ToolContext;
  return tool.run(tool.input().parse(input), ctx);
}
const exchange = (): void => {
  rmSync(join(workspace, "folder"), { recursive: true, force: true });
  symlinkSync(join(top, "own"), join(workspace, "folder"));
};

bubblewrapOrSkip(describe)("a search", () => {
  it("finds what is in the workspace, and in a folder of a skill", async () => {
    expect(await call(grep, { pattern: "inside", path: "folder" })).toBe(
      "folder/deep/file:1:inside\nfolder/file:1:inside",
    );
    expect((await call(glob, { pattern: "**/*", path: "folder" })).split("\n").sort()).toEqual([
      "folder/deep/file",
      "folder/file",
    ]);
    const skill = join(top, "own/skills/one");
    expect(await call(grep, { pattern: "how", path: skill })).toBe(`${skill}/SKILL.md:1:how to`);
    expect(await call(glob, { pattern: "*", path: skill })).toBe(`${skill}/SKILL.md`);
  });

  it.each([
    [grep, { pattern: ".", path: "folder" }],
    [grep, { pattern: ".", path: "folder/deep/../keys" }],
    [glob, { pattern: "**/*", path: "folder" }],
  ] as const)(
    "shows nothing of a folder that takes the place of one of the workspace",
    async (tool, input) => {
      mkdirSync(join(workspace, "folder/deep"), { recursive: true });
      writeFileSync(join(workspace, "folder/keys"), "inside\n");
      const shown = await call(tool, input, exchange).catch(String);
      rmSync(join(workspace, "folder"));
      expect(shown).not.toMatch(/SECRET|keys$|SKILL/);
    },
  );
});
