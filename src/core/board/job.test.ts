/** These tests check which ends of an output count as a question, and what the owner of a job is told. */
import { expect, it } from "vitest";
import { asJobId, type HostId, instant, type Name, type TaskId } from "../ids.ts";
import { endText, type Job, looksLikePrompt, lostText, promptText, silentText } from "./job.ts";

it.each([
  "Continue? [y/N] ",
  "Ok to proceed? (y)",
  "Password:",
  "Enter passphrase for key '/home/a/.ssh/id': ",
  "building…\nOverwrite config.json?",
  "> ",
  "\u001b[32m?\u001b[0m Project name: \u001b[7m \u001b[0m",
  "Press any key to continue",
  "Are you sure you want to continue connecting (yes/no/[fingerprint])? ",
  "working\rDelete it (y/n)",
  `${"x".repeat(299)}?`,
])("%j is a prompt", (tail) => {
  expect(looksLikePrompt(tail)).toBe(true);
});

it.each([
  "",
  "Continue?\n",
  "listening on port 3000",
  "Server: ready\n",
  "[=====>    ]",
  "downloading (3 of 10)",
  "[ 40%]",
  "compiling src/a.ts…",
  `${"x".repeat(300)}:`,
])("%j is none", (tail) => {
  expect(looksLikePrompt(tail)).toBe(false);
});

const job: Job = {
  id: asJobId(3),
  owner: "alice" as Name,
  command: "npm create app",
  state: "running",
  pid: 77,
  machine: "box",
  host: "h" as HostId,
  startedAt: instant(0),
  endedAt: null,
  exitCode: null,
  outputPath: "out/j3.txt",
  task: null,
};

it("says how a job ended and where its output is", () => {
  expect(endText({ state: "done", exitCode: 0, signal: null }, "a\n\u001b[31mb\u001b[0m\n", job)).toBe(
    "Exit code 0. Its whole output is in out/j3.txt.\nIts last lines:\na\nb",
  );
  expect(endText({ state: "failed", exitCode: null, signal: "SIGKILL" }, "", job)).toBe(
    "Ended by SIGKILL. Its whole output is in out/j3.txt. It printed nothing.",
  );
  expect(endText({ state: "stopped", why: "bye." }, "", job)).toContain("Stopped: bye.");
});

it("says what became of a job nobody watched", () => {
  expect(lostText(job, true)).toContain("still runs (process 77)");
  expect(lostText(job, false)).toContain("exit code is unknown");
  expect(lostText(job, null)).toContain("ran on box");
});

it("names the question of a job that waits", () => {
  expect(promptText(job, "a\nName: ")).toContain("Its last line: Name:\n");
});

it("asks after a silent job, and says what it holds up", () => {
  expect(silentText(job)).toContain("not count as finished while it runs.");
  expect(silentText({ ...job, task: 4 as TaskId })).toContain("not count as finished before #4 has ended");
});
