import { expect, it } from "vitest";
import { PROTECTED_NAMES, READ_ONLY_IN_SANDBOX } from "./protected-names.ts";

it.each([
  [".bashrc", true],
  [".husky", true],
  [".yarn/releases", true],
  [".yarn/plugins", true],
  [".zed", true],
  ["mise.toml", true],
  ["opencode.json", true],
  ["lefthook.yml", true],
  ["lefthook-local.yml", true],
  [".Rprofile", true],
  ["Jenkinsfile", true],
  [".qwen", true],
  [".gitlab-ci.yml", true],
  // Folders and files that installing or committing writes.
  [".yarn", false],
  [".git", false],
  [".pnp.cjs", false],
])("makes %s read-only in a sandbox: %j", (path, expected) => {
  expect(READ_ONLY_IN_SANDBOX.includes(path)).toBe(expected);
  expect(PROTECTED_NAMES).toContain(path.split("/")[0]);
});

it.each([".github/workflows", ".hg/hgrc", ".jj/repo/config.toml", ".config/mise"])(
  "makes %s read-only, and not the rest of its folder",
  (part) => {
    expect(READ_ONLY_IN_SANDBOX).toContain(part);
    expect(PROTECTED_NAMES).not.toContain(part.split("/")[0]);
  },
);

it("lists no part of a path as a name, which the judge compares with each part", () => {
  expect(PROTECTED_NAMES.filter((name) => name.includes("/"))).toEqual([]);
});
