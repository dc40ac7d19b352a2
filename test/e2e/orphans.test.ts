/** A host is killed in the middle of a command: what it ran is ended before its work is taken up again, and its claim is kept. */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

const PROGRAM = join(import.meta.dirname, "../../dist/main.js");
let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "ekiden-orphans-")));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const ekiden = (...args: string[]) =>
  spawn(process.execPath, [PROGRAM, ...args, "--cwd", folder], {
    stdio: ["ignore", "pipe", "ignore"],
    env: { PATH: process.env.PATH },
  });
/** A zombie is dead: only nobody has asked after it. */
const alive = (pid: number): boolean => {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
};

it.runIf(process.platform === "linux")(
  "kill -9, then resume: the same claim, and no command runs twice at once (33)",
  async () => {
    const pids = join(folder, "pids");
    const script = `echo $$ >> ${pids}\nif [ $(wc -l < ${pids}) -gt 1 ]; then echo again; else sleep 600; fi`;
    writeFileSync(join(folder, "long.md"), `# Goal\n\n## Long\n\`\`\`sh\n${script}\n\`\`\`\n`);
    const first = ekiden("run", "long.md");
    const gone = new Promise((resolve) => first.on("close", resolve));
    const pid = await vi.waitFor(() => {
      expect(existsSync(pids)).toBe(true);
      const found = Number(readFileSync(pids, "utf8"));
      expect(found).toBeGreaterThan(0);
      return found;
    }, 10_000);
    first.kill("SIGKILL");
    await gone;
    expect(alive(pid)).toBe(true);

    const second = ekiden("resume", "--json");
    let out = "";
    second.stdout.on("data", (chunk) => {
      out += chunk;
    });
    expect(await new Promise((resolve) => second.on("close", resolve))).toBe(0);
    expect(alive(pid)).toBe(false);
    const events = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(events.find((event) => event.type === "task.completed")).toMatchObject({
      task: 1,
      by: "alice",
      attempt: 1,
    });
    expect(events.filter((event) => event.type === "task.released")).toEqual([]);
  },
);
