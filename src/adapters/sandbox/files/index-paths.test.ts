/** The paths of an index as git writes it, in every version, and with paths that git would refuse to add. */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repository } from "../../../../test/fixtures/repository.ts";
import type { Reads } from "../reads.ts";
import { strayPath } from "./index-paths.ts";

const READS: Reads = {
  git: "git",
  confine: async (program) => ({ ...program, ended: async () => null }),
};

/** The same length, so that the rest of the index stays as it is. */
const PLAIN = "xxxx/yyyyy/z";
const STRAY = [
  ".git/hooks/z",
  "../../../zzz",
  "/etc/passwdz",
  "xxxx/../../z",
  "xxxx/./yyy/z",
  "xxxx//yyyy/z",
  ".GIT/hooks/zz".slice(0, 12),
];

function indexWith(path: string, version: number, format: string): string {
  const repo = repository({ "a.txt": "a\n" });
  if (format === "sha256") {
    repo.git("init", "--quiet", "--object-format=sha256", join(repo.dir, "other"));
    mkdirSync(join(repo.dir, "other/xxxx/yyyyy"), { recursive: true });
    writeFileSync(join(repo.dir, "other", PLAIN), "z\n");
    writeFileSync(join(repo.dir, "other/a.txt"), "a\n");
  } else repo.write({ [PLAIN]: "z\n" });
  const top = format === "sha256" ? join(repo.dir, "other") : repo.dir;
  const [, ...rest] = ["", "-C", top];
  repo.git(...rest, "add", "--all");
  repo.git(...rest, "update-index", "--index-version", String(version));
  const file = join(top, ".git/index");
  const [hash, size] = format === "sha256" ? ["sha256", 32] : ["sha1", 20];
  const bytes = readFileSync(file);
  const body = Buffer.from(bytes.subarray(0, -Number(size)));
  const at = body.indexOf(PLAIN);
  expect(at).toBeGreaterThan(0);
  body.write(path, at);
  writeFileSync(file, Buffer.concat([body, createHash(String(hash)).update(body).digest()]));
  return file;
}

describe.each([
  [2, "sha1"],
  [3, "sha1"],
  [4, "sha1"],
  [2, "sha256"],
  [4, "sha256"],
] as const)("an index of version %i with ids of %s", (version, format) => {
  it("has no stray path as git writes it", async () => {
    expect(await strayPath(indexWith(PLAIN, version, format), READS)).toBeNull();
  });

  it.each(STRAY)("has one: %s", async (path) => {
    // Git itself reads none of some.
    expect([path, "(it cannot be read)"]).toContain(await strayPath(indexWith(path, version, format), READS));
  });
});

it("that is none has a stray path", async () => {
  const repo = repository({ "a.txt": "a\n" });
  writeFileSync(join(repo.dir, ".git/index"), "DIRC");
  expect(await strayPath(join(repo.dir, ".git/index"), READS)).not.toBeNull();
});
