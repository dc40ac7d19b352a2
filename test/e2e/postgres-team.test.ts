/** The same program on PostgreSQL: a runbook with a diamond, a second process that looks on, a kill and a resume. */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, inject, it, vi } from "vitest";
import { dropSchema } from "../fixtures/stage.ts";

const PROGRAM = join(import.meta.dirname, "../../dist/main.js");
let folder: string;
let store: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "ekiden-pg-team-")));
  const url = new URL(inject("postgresUrl"));
  url.searchParams.set("schema", `team_${randomBytes(6).toString("hex")}`);
  store = url.href;
});
afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  await dropSchema(inject("postgresUrl"), new URL(store).searchParams.get("schema") ?? "");
});

function ekiden(...args: string[]) {
  const child = spawn(process.execPath, [PROGRAM, ...args, "--cwd", folder, "--store", store], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env.PATH },
  });
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    err += chunk;
  });
  const done = new Promise<{ code: number | null; out: string; err: string }>((resolve) =>
    child.on("close", (code) => resolve({ code, out, err })),
  );
  return { child, done };
}

const DIAMOND = `# Goal

## Top
\`\`\`sh
echo top > top.txt
\`\`\`
## Left
After: Top
\`\`\`sh
cat top.txt
\`\`\`
## Right
After: Top
\`\`\`sh
touch right-began
if [ ! -e go ]; then sleep 600; fi
\`\`\`
## Bottom
After: Left, Right
\`\`\`sh
echo bottom
\`\`\`
`;

it("works through a diamond, is killed in the middle, and is resumed with the same claims", async () => {
  writeFileSync(join(folder, "diamond.md"), DIAMOND);
  const first = ekiden("run", "diamond.md");
  await vi.waitFor(() => expect(existsSync(join(folder, "right-began"))).toBe(true), 15_000);
  const looking = await ekiden("tasks", "--json").done;
  expect(JSON.parse(looking.out).tasks[2]).toMatchObject({
    subject: "Right",
    status: "in_progress",
    attempt: 1,
  });
  first.child.kill("SIGKILL");
  await first.done;

  writeFileSync(join(folder, "go"), "");
  const second = await ekiden("resume", "--json").done;
  expect(second.err).toBe("");
  expect(second.code).toBe(0);
  const tasks = JSON.parse((await ekiden("tasks", "--json").done).out).tasks as Record<string, unknown>[];
  expect(tasks.map((task) => [task.subject, task.status, task.attempt])).toEqual([
    ["Top", "completed", 1],
    ["Left", "completed", 1],
    ["Right", "completed", 1],
    ["Bottom", "completed", 1],
  ]);
  await vi.waitFor(async () => {
    // a fact shows once no older transaction of the server is open, also of a test beside this one
    const { out } = await ekiden("log", "--json").done;
    const log = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(log.filter((event) => event.type === "task.completed")).toHaveLength(4);
    expect(log.at(-1)).toMatchObject({ type: "team.finished", completed: 4 });
  }, 10_000);
});
