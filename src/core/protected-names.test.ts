import { expect, it } from "vitest";
import { PROTECTED_NAMES, READ_ONLY_IN_SANDBOX } from "./protected-names.ts";

it.each([
  [".bashrc", true],
  [".husky", true],
  [".yarn/releases", true],
  [".yarn/plugins", true],
  // What installing or committing writes.
  [".yarn", false],
  [".git", false],
  [".pnp.cjs", false],
])("makes %s read-only in a sandbox: %j", (path, expected) => {
  expect(READ_ONLY_IN_SANDBOX.includes(path)).toBe(expected);
  expect(PROTECTED_NAMES).toContain(path.split("/")[0]);
});
