/** How much a gate lets through, by the command line: a real repository, a real gate, small faults in what was committed. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { repositoryIn } from "../../fixtures/repository.ts";
import { soon } from "../../fixtures/soon.ts";
import { ended, Project } from "../cli-program.ts";

const FILES = {
  "package.json": '{ "type": "module" }\n',
  ".gitignore": ".ekiden\n",
  "src/calc.js": `export function price(count, unit) {
  if (count > 10) {
    return count * unit - 1;
  }
  return count * unit;
}

export function label(name) {
  if (name === "") return "nobody";
  return name + "!";
}
`,
  "test/calc.test.js": `import assert from "node:assert";
import { test } from "node:test";
import { price } from "../src/calc.js";
test("price", () => {
  assert.equal(price(2, 3), 6);
  assert.equal(price(11, 2), 21);
  assert.equal(price(10, 2), 20);
});
`,
};

type Report = {
  readonly killed: number;
  readonly timedOut: number;
  readonly leak: number;
  readonly survivors: readonly { readonly id: string; readonly path: string; readonly line: number }[];
};

function stage(files: Readonly<Record<string, string>>) {
  const project = new Project();
  onTestFinished(() => project.end());
  return { project, repo: repositoryIn(project.dir, files) };
}
const env = { EKIDEN_GATE: "node --test" };

it("counts the faults that the gate does not notice, names them, and forgets those that a person dismisses", async () => {
  const { project, repo } = stage(FILES);
  const first = await project.run(["doctor", "--gate", "--json"], { env });
  expect(first.stderr).toBe("");
  const report = JSON.parse(first.stdout) as Report;
  // All of the function without a test, and none of the other.
  expect(report.survivors.every(({ path, line }) => path === "src/calc.js" && line > 8)).toBe(true);
  expect(report.survivors.length).toBeGreaterThanOrEqual(3);
  expect(report.killed).toBeGreaterThanOrEqual(5);
  expect(report.leak).toBeCloseTo(report.survivors.length / (report.killed + report.survivors.length), 5);
  expect(readFileSync(join(repo.dir, "src/calc.js"), "utf8")).toBe(FILES["src/calc.js"]);
  expect(repo.git("status", "--short")).toBe("");

  const [one] = report.survivors;
  expect((await project.run(["doctor", "--dismiss", "nonsense"], { env })).stderr).toContain(one?.id);
  await project.run(["doctor", "--dismiss", one?.id ?? ""], { env });
  const again = await project.run(["doctor", "--gate", "--json"], { env });
  const ids = (JSON.parse(again.stdout) as Report).survivors.map(({ id }) => id);
  expect(ids.sort()).toEqual(
    report.survivors
      .map(({ id }) => id)
      .filter((id) => id !== one?.id)
      .sort(),
  );
});

it("says what is missing where there is no gate, and where the target is red", async () => {
  const { project } = stage({ ...FILES, "test/red.test.js": "throw new Error('red');\n" });
  const none = await project.run(["doctor", "--gate"]);
  expect(none.stderr).toContain("There is no gate to measure");
  const red = await project.run(["doctor", "--gate"], { env });
  expect(red.stderr).toMatch(/is red on main without any fault/);
});

it("refuses a second measure by the number of the first, and continues after one that was killed", async () => {
  const { project, repo } = stage(FILES);
  const flag = join(repo.dir, "ready");
  const slow = { EKIDEN_GATE: `touch ${flag}; sleep 600`, EKIDEN_SANDBOX: "off" };
  const first = project.start(["doctor", "--gate"], slow);
  await soon(() => expect(existsSync(flag)).toBe(true));
  const second = await project.run(["doctor", "--gate", "--json"], { env });
  expect(second.stderr).toContain(`Process ${first.pid} is measuring the gate`);
  first.kill("SIGKILL");
  await ended(first);
  const third = await project.run(["doctor", "--gate", "--faults", "2", "--json"], { env });
  expect(third).toMatchObject({ code: 0 });
  expect(readdirSync(join(repo.dir, ".ekiden")).filter((name) => name.startsWith("gate-check."))).toEqual([]);
});
