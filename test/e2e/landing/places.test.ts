/** Commands of tasks in worktrees have ports of their own and a name for a database, also in the sandbox, and so has the gate. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { bubblewrapOrSkip } from "../../fixtures/bubblewrap.ts";
import { repositoryIn } from "../../fixtures/repository.ts";
import { Project } from "../cli-program.ts";

let project: Project;
beforeEach(() => {
  project = new Project();
});
afterEach(() => project.end());

const LISTENS = `node -e 'const s = require("net").createServer().listen(+process.env.EKIDEN_PORT_9, "127.0.0.1", () => s.close())'`;
const SAYS = 'echo "$EKIDEN_TASK $EKIDEN_PORT $EKIDEN_PORT_9 $EKIDEN_DB $CONDUCTOR_PORT"';

async function twoTasks(sandbox: string): Promise<void> {
  repositoryIn(project.dir, {
    ".gitignore": ".ekiden/\n",
    "conductor.json": JSON.stringify({ scripts: { setup: `${SAYS} > set-up-$EKIDEN_TASK.txt` } }),
    "plan.md": `# Goal\n\n## A\n\`\`\`sh\n${SAYS} > 1.txt && ${LISTENS}\n\`\`\`\n\n## B\n\`\`\`sh\n${SAYS} > 2.txt && ${LISTENS}\n\`\`\`\n`,
  });
  const gate = `${SAYS} | grep -xFf - $EKIDEN_TASK.txt`;
  const { code, stderr } = await project.run(["run", "plan.md", "--worktrees"], {
    env: { EKIDEN_SANDBOX: sandbox, EKIDEN_GATE: gate },
  });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const said = [1, 2].map((task) => {
    const line = readFileSync(join(project.dir, `${task}.txt`), "utf8");
    expect(readFileSync(join(project.dir, `set-up-${task}.txt`), "utf8")).toBe(line);
    const [id, port, last, database, conductor] = line.trim().split(" ");
    expect([id, conductor, Number(last)]).toEqual([`${task}`, port, Number(port) + 9]);
    return [port, database];
  });
  expect(new Set(said.flat()).size).toBe(4);
}

it("are different for each task", () => twoTasks("off"));
bubblewrapOrSkip(it)("can be listened on in the sandbox", () => twoTasks("required"));
