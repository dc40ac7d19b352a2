import { expect, it } from "vitest";
import { differenceOf, type LandingSettings } from "./landing-settings.ts";

const LOCAL: LandingSettings = { remote: null, targetBranch: "main", gate: "npm test" };
const REMOTE: LandingSettings = { ...LOCAL, remote: "origin" };

it.each([
  ["the same", LOCAL, LOCAL, null],
  ["another branch", LOCAL, { ...LOCAL, targetBranch: "dev" }, 'targetBranch is "dev" there and "main" here'],
  ["another gate", LOCAL, { ...LOCAL, gate: null }, 'gate is not set there and "npm test" here'],
  ["a remote", LOCAL, REMOTE, 'remote is "origin" there and not set here'],
  ["a remote here", REMOTE, LOCAL, 'remote is not set there and "origin" here'],
  ["the first of several", LOCAL, { ...REMOTE, gate: null }, 'remote is "origin" there and not set here'],
  [
    "a remote, and no worktrees here",
    { ...LOCAL, targetBranch: null },
    REMOTE,
    'remote is "origin" there and not set here',
  ],
  ["no worktrees there", LOCAL, { ...LOCAL, targetBranch: null, gate: null }, null],
  ["no worktrees here", { ...LOCAL, targetBranch: null, gate: null }, LOCAL, null],
  // With a remote the branch is the one of the remote, and a host without a setting lands on another one.
  [
    "no branch, with a remote",
    REMOTE,
    { ...REMOTE, targetBranch: null },
    'targetBranch is not set there and "main" here',
  ],
] as const)("tells what differs: %s", (_, here, there, expected) => {
  expect(differenceOf(here, there)).toBe(expected);
});
