/** The end of git and of what it has started: one abort, or the time that it has. */
import { expect, it } from "vitest";
import { soon } from "../../../test/fixtures/soon.ts";
import { wasCut } from "./remote.ts";
import { runInGroup } from "./run.ts";

const lives = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

// A hook that ignores the end of git, and holds its output.
const HANGING = "trap '' TERM; sleep 1000 & echo $! >&2; wait; sleep 1000";

it.each(["an abort", "a time-out"])("ends a hook that hangs after %s", async (how) => {
  const abort = new AbortController();
  const program = { file: "/bin/sh", args: ["-c", HANGING], cwd: "/", env: { PATH: process.env.PATH ?? "" } };
  const running = runInGroup(program, {
    signal: abort.signal,
    timeoutMs: how === "an abort" ? 600_000 : 1_000,
  });
  if (how === "an abort") {
    abort.abort(new Error("stopped"));
    await expect(running).rejects.toThrow("stopped");
    return;
  }
  const { timedOut, err } = await running;
  expect(timedOut).toBe(true);
  await soon(() => expect(lives(Number(err))).toBe(false));
});

it.each([
  ["fatal: the remote end hung up", true],
  ["fetch-pack: unexpected disconnect while reading sideband packet\nfatal: early EOF", true],
  ["fatal: expected flush after ref listing", true],
  ["fatal: Could not read from remote repository.", true],
  ["ERROR: Repository not found.\nfatal: Could not read from remote repository.", false],
  ["git@host: Permission denied (publickey).\nfatal: Could not read from remote repository.", false],
  ["! [remote rejected] main -> main (pre-receive hook declined)\nerror: failed to push some refs", false],
  ["error: RPC failed; HTTP 413 curl 22\nfatal: the remote end hung up unexpectedly", false],
])("tells a push that was cut from one that was refused: %s", (said, expected) => {
  expect(wasCut(said)).toBe(expected);
});
