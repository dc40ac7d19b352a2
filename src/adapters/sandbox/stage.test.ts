/** The folder of a sandbox belongs to one process, is made again when it is removed, and does not stay for ever. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { soon } from "../../../test/fixtures/soon.ts";
import { identityOf, OWN_IDENTITY, PLACE } from "../process-identity.ts";
import { Stage } from "./stage.ts";

let base: string;
let workspace: string;
const stages: Stage[] = [];

const open = (): Stage => {
  const stage = new Stage({
    ...{ bwrap: "/usr/bin/bwrap", nsenter: null, filter: null, home: base, workspace },
    ...{
      cacheFolder: join(base, "cache"),
      ...{ ownFolders: [], shown: [] },
      confine: async (program) => ({ ...program, ended: async () => null }),
      tasks: 1_000,
    },
  });
  stages.push(stage);
  return stage;
};

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "ekiden-stage-")));
  workspace = join(base, "ws");
  mkdirSync(workspace);
});
afterEach(async () => {
  await Promise.all(stages.splice(0).map((stage) => stage.close()));
  rmSync(base, { recursive: true, force: true });
});

it("a start removes what dead processes left, never what a process of another container may use", async () => {
  const old = new Date(Date.now() - 5 * 24 * 3_600_000);
  const folders = {
    dead: `${PLACE}.${process.pid}.1`,
    living: OWN_IDENTITY,
    parent: identityOf(process.ppid),
    unseen: "0123456789ab.1.77",
    "unseen for days": "0123456789ab.1.77",
    "of an old version": "999999",
    "of an old version for days": "1",
  };
  const paths = Object.entries(folders).map(([name, owner], nth) => {
    const path = join(realpathSync(tmpdir()), `ekiden-sandbox-${owner}-stage${nth}${process.pid}`);
    mkdirSync(path);
    writeFileSync(join(path, "empty"), "");
    if (name.endsWith("for days")) utimesSync(path, old, old);
    return [name, path] as const;
  });
  try {
    open();
    const left = () => paths.filter(([, path]) => existsSync(path)).map(([name]) => name);
    await soon(() => expect(left()).toEqual(["living", "parent", "unseen", "of an old version"]));
  } finally {
    for (const [, path] of paths) rmSync(path, { recursive: true, force: true });
  }
});

it("its folder is named by the identity of the process, and each part that was removed is made again", () => {
  const stage = open();
  expect(stage.folder).toContain(`ekiden-sandbox-${OWN_IDENTITY}-`);
  for (const part of [
    stage.folder,
    stage.emptyFile,
    stage.emptyFolder,
    join(stage.folder, "tmp"),
    join(base, "cache"),
  ]) {
    rmSync(part, { recursive: true });
    stage.mend();
    for (const one of [stage.emptyFile, stage.emptyFolder, join(stage.folder, "tmp"), join(base, "cache")])
      expect(existsSync(one), one).toBe(true);
    expect(readFileSync(stage.emptyFile, "utf8")).toBe("");
  }
});
