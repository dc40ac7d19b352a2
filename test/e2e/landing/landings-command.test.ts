/** `ekiden landings`: the line while a team works, decisions of a person, and the proof of what has landed. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { LandingsData } from "../../../src/core/views/landing.ts";
import { projectAndOutside } from "../../fixtures/project-outside.ts";
import { repositoryIn } from "../../fixtures/repository.ts";
import { soon } from "../../fixtures/soon.ts";
import { ended, type Project } from "../cli-program.ts";

let project: Project;
let outside: string;
projectAndOutside((...made) => {
  [project, outside] = made;
});

const block = (nth: number): string => `\n## Write ${nth}\n\n\`\`\`sh\necho ${nth} > ${nth}.txt\n\`\`\`\n`;

it("shows the line, moves and drops a landing, and proves what was gated", async () => {
  const repo = repositoryIn(project.dir, { "a.txt": "a\n" });
  const go = join(outside, "go");
  project.write({
    ".ekiden/settings.json": JSON.stringify({
      sandbox: "off",
      teammates: 3,
      gate: `until test -e ${go}; do sleep 0.05; done`,
    }),
    ".ekiden/.gitignore": "*\n",
    "plan.md": `# Write\n${[1, 2, 3].map(block).join("")}`,
  });
  const over = ended(project.start(["run", "plan.md", "--worktrees"]));
  const look = (): Promise<LandingsData> => project.json<LandingsData>(["landings"]);
  const full = await soon(async () => {
    const data = await look();
    expect(data.waiting).toHaveLength(3);
    expect(data.waiting[0]?.state).toBe("gate");
    return data;
  });
  const [first, second, third] = full.waiting.map(({ task }) => task);
  expect((await project.run(["landings"])).stdout).toMatch(/1 +#\d +Write \d.*gate runs/);
  expect((await project.run(["landings", String(third), "move", "2"])).code).toBe(0);
  expect((await look()).waiting.map(({ task }) => task)).toEqual([first, third, second]);
  expect((await project.run(["landings", String(second), "drop"])).code).toBe(0);
  await soon(async () => expect((await look()).waiting).toHaveLength(2));
  const wrong = await project.run(["landings", String(first), "dorp"]);
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('"dorp" is not a command') });
  const gone = await project.run(["landings", String(second), "land"]);
  expect(gone.stderr).toMatch(/does not wait to land.*Waiting: #\d/);
  expect(gone.code).not.toBe(0);
  writeFileSync(go, "");
  expect((await over).code).toBe(1);
  expect(repo.git("log", "--format=%s", "main").split("\n")).toEqual([
    `Write ${third}`,
    `Write ${first}`,
    "First",
  ]);
  const { landed, waiting, reserved } = await look();
  expect(waiting).toEqual([]);
  expect(reserved).toEqual([]);
  expect(landed.map(({ task, commit, tree }) => ({ task, commit, tree }))).toEqual(
    [third, first].map((task, nth) => ({
      task,
      commit: repo.git("rev-parse", `main~${nth}`),
      tree: repo.git("rev-parse", `main~${nth}^{tree}`),
    })),
  );
  expect(repo.git("show", `ekiden/${second}-write-${second}:${second}.txt`)).toBe(String(second));
});
