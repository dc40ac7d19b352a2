import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { RUNNER_TAMPERED } from "../../../test/fixtures/tampering/by-runner-list.ts";
import { LINK, RUNNER_PROJECTS } from "../../../test/fixtures/tampering/by-runner-projects.ts";
import {
  type Edit,
  edited,
  type Files,
  HONEST,
  PROJECTS,
  type Project,
  TAMPERED,
} from "../../../test/fixtures/tampering/first-list.ts";
import {
  FURTHER_HONEST,
  FURTHER_PROJECTS,
  FURTHER_TAMPERED,
} from "../../../test/fixtures/tampering/further-runners.ts";
import { OTHER_PROJECTS } from "../../../test/fixtures/tampering/other-layouts.ts";
import { OTHER_TAMPERED } from "../../../test/fixtures/tampering/other-layouts-list.ts";
import { MORE_TAMPERED } from "../../../test/fixtures/tampering/second-list.ts";
import { FRESH_TAMPERED } from "../../../test/fixtures/tampering/shadowing-list.ts";
import type { Signal } from "./change.ts";
import { ROWS } from "./patterns.ts";
import { signalsOf } from "./tampering.ts";

const top = mkdtempSync(join(tmpdir(), "ekiden-tampering-"));
afterAll(() => rmSync(top, { recursive: true, force: true }));

function written(folder: string, files: Files): void {
  mkdirSync(folder, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    if (text.startsWith(LINK)) symlinkSync(text.slice(LINK.length), join(folder, path));
    else writeFileSync(join(folder, path), text);
  }
}

let nth = 0;
async function signals(gate: string, before: Files, after: Files): Promise<Signal[]> {
  nth += 1;
  const folder = join(top, String(nth));
  written(join(folder, "a"), before);
  written(join(folder, "b"), after);
  let diff = "";
  try {
    execFileSync("git", ["diff", "--no-index", "--no-renames", "--no-color", "--no-prefix", "a", "b"], {
      cwd: folder,
    });
  } catch (error) {
    diff = String((error as { stdout: Buffer }).stdout);
  }
  // Without an index git writes the folder of the side that has the file.
  diff = diff.replace(/^diff --git ([ab])\/(.*) \1\/\2$/gm, "diff --git a/$2 b/$2");
  const read = (side: string) => async (path: string) => {
    const full = join(folder, side, path);
    if (existsSync(full) && lstatSync(full).isSymbolicLink()) return readlinkSync(full);
    return existsSync(full) && statSync(full).isFile() ? readFileSync(full, "utf8") : null;
  };
  return await signalsOf({
    diff,
    gate,
    judges: [],
    before: read("a"),
    after: read("b"),
  });
}

describe("the table of lines", () => {
  it.each(ROWS.map((row) => [row.kind, row.fires, row] as const))("%s: %s", (_kind, _fires, row) => {
    const fires = (line: string): boolean => row.added.test(line) && !row.unless?.test(line);
    expect(fires(row.fires), row.fires).toBe(true);
    expect(fires(row.silent), row.silent).toBe(false);
  });
});

const title = <T extends readonly [string, string, Edit]>(rows: readonly T[]) =>
  rows.map((row) => [`${row[0]}: ${row[1]}`, row] as const);

describe("a change that silences its judge", () => {
  const named = async ({ files, broken, gate }: Project, edit: Edit): Promise<Signal[]> => {
    // The edit may replace the file of the code as a whole.
    const own = Object.fromEntries(Object.entries(broken).filter(([path]) => !(path in edit)));
    return await signals(gate, files, edited(edited(files, own), edit));
  };
  it.each(title([...TAMPERED, ...MORE_TAMPERED, ...FRESH_TAMPERED]))("%s", async (_title, [name, , edit]) => {
    expect(await named(PROJECTS[name], edit)).not.toEqual([]);
  });
  it.each(title(OTHER_TAMPERED))("%s", async (_title, [name, , edit]) => {
    expect((await named(OTHER_PROJECTS[name], edit)).filter((one) => !one.isNote)).not.toEqual([]);
  });
  it.each(title(RUNNER_TAMPERED))("%s", async (title, [name, , edit]) => {
    const found = await named(RUNNER_PROJECTS[name], edit);
    // The values that a test wants change with honest code, too.
    const isNote = title.includes("the wanted values are made from the code");
    expect(found.filter((one) => isNote || !one.isNote)).not.toEqual([]);
  });
  it.each(title(FURTHER_TAMPERED))("%s", async (_title, [name, , edit]) => {
    expect((await named(FURTHER_PROJECTS[name], edit)).filter((one) => !one.isNote)).not.toEqual([]);
  });
});

describe("an honest change", () => {
  const isSilent = async ({ files, gate }: Project, edit: Edit): Promise<void> => {
    const found = await signals(gate, files, edited(files, edit));
    expect(found.filter((one) => !one.isNote)).toEqual([]);
  };
  it.each(title(HONEST))("%s", (_title, [name, , edit]) => isSilent(PROJECTS[name], edit));
  it.each(title(FURTHER_HONEST))("%s", (_title, [name, , edit]) => isSilent(FURTHER_PROJECTS[name], edit));

  it("hides a nested class of data, which is no test", async () => {
    const { files, gate } = PROJECTS.junit;
    const path = "src/test/java/SumsTest.java";
    const before = edited(files, {
      [path]: [["class SumsTest {", "class SumsTest {\n  public static class Money {}\n"]],
    });
    const after = edited(before, { [path]: [["public static class", "private static class"]] });
    expect(await signals(gate, before, after)).toEqual([]);
  });
});
