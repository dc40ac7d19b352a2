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
  [".gitlab-ci.yml", true],
  // What installing or committing writes.
  [".yarn", false],
  [".git", false],
  [".pnp.cjs", false],
])("makes %s read-only in a sandbox: %j", (path, expected) => {
  expect(READ_ONLY_IN_SANDBOX.includes(path)).toBe(expected);
  expect(PROTECTED_NAMES).toContain(path.split("/")[0]);
});

it("makes the workflows of a forge read-only", () => {
  expect(READ_ONLY_IN_SANDBOX).toContain(".github/workflows");
});
