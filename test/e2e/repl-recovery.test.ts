/** A conversation survives a lead that failed: a wrong key, a refusal. The next thing that is said wakes it where it was. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

const PROGRAM = join(import.meta.dirname, "../../dist/main.js");
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ekiden-repl-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("goes on after its model has refused", async () => {
  const steps = [
    { fail: { code: "model_auth", message: "the key is wrong" } },
    { when: "and again", text: "Hello again." },
  ];
  writeFileSync(join(folder, "script.json"), JSON.stringify({ steps }));
  const talk = spawn(
    process.execPath,
    [PROGRAM, "--cwd", folder, "--model", `scripted:${join(folder, "script.json")}`],
    {
      stdio: ["pipe", "pipe", "inherit"],
      env: { PATH: process.env.PATH },
    },
  );
  let out = "";
  talk.stdout.on("data", (chunk) => {
    out += chunk;
  });
  const over = new Promise((resolve) => talk.on("close", resolve));
  talk.stdin.write("hello\n");
  await vi.waitFor(() => expect(out).toContain("the key is wrong"), 10_000);
  talk.stdin.write("and again\n");
  await vi.waitFor(() => expect(out).toContain("Hello again."), 10_000);
  talk.stdin.end();
  expect(await over).toBe(0);
});
