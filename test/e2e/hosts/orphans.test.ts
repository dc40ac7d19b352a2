/** A host is killed in the middle of a command: its processes are ended before its work is taken up again, and its claim is kept. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { soon } from "../../fixtures/soon.ts";
import { ended, Project } from "../cli-program.ts";

let project: Project;
beforeEach(() => {
  project = new Project();
});
afterEach(() => project.end());

/** Process ids are those of the machine. */
const NO_SANDBOX = { EKIDEN_SANDBOX: "off" };

/** A zombie is dead: only nobody has asked after it. */
const alive = (pid: number): boolean => {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
};

it.runIf(process.platform === "linux")(
  "kill -9, then resume: the same claim, and no command runs twice at once",
  async () => {
    const pids = join(project.dir, "pids");
    const script = `echo $$ >> ${pids}\nif [ $(wc -l < ${pids}) -gt 1 ]; then echo again; else sleep 600; fi`;
    project.write({ "long.md": `# Goal\n\n## Long\n\`\`\`sh\n${script}\n\`\`\`\n` });
    const first = project.start(["run", "long.md"], NO_SANDBOX);
    const gone = ended(first);
    const pid = await soon(() => {
      const found = Number(readFileSync(pids, "utf8"));
      expect(found).toBeGreaterThan(0);
      return found;
    });
    first.kill("SIGKILL");
    await gone;

    const { code, stdout } = await project.run(["resume", "--json"], { env: NO_SANDBOX });
    expect(code).toBe(0);
    expect(alive(pid)).toBe(false);
    const events = stdout
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
