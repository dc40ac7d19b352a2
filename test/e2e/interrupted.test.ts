/** Interruptions of a host: killed again and again, and frozen for longer than its lease. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { soon } from "../fixtures/soon.ts";
import { ended, Project } from "./cli-program.ts";

let project: Project;
beforeEach(() => {
  project = new Project();
});
afterEach(() => project.end());

const lines = (path: string): string[] =>
  existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : [];

it("a task that is interrupted five times is completed, and its command can tell that it runs again", async () => {
  const log = join(project.dir, "log");
  const script = `echo "$EKIDEN_TASK $EKIDEN_ATTEMPT $EKIDEN_IDEMPOTENCY_KEY" >> ${log}\nif [ $(wc -l < ${log}) -lt 6 ]; then sleep 600; fi`;
  project.write({ "long.md": `# Goal\n\n## Long\n\`\`\`sh\n${script}\n\`\`\`\n` });
  for (let nth = 1; nth <= 5; nth += 1) {
    const child = project.start(nth === 1 ? ["run", "long.md"] : ["resume"]);
    const gone = ended(child);
    await soon(() => expect(lines(log)).toHaveLength(nth));
    child.kill("SIGKILL");
    await gone;
  }
  expect(await project.run(["resume"])).toMatchObject({ code: 0 });
  expect(new Set(lines(log)).size).toBe(1);
  expect(lines(log)[0]).toMatch(/^1 1 default-1-[0-9a-f]{16}$/);
});
