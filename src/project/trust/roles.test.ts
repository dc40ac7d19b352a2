import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { loadLibrary } from "../../adapters/disk/library.ts";
import { weighProject } from "./weigh.ts";

function project(): string {
  const folder = mkdtempSync(join(tmpdir(), "ekiden-roles-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, ".ekiden/agents"), { recursive: true });
  return folder;
}
const weigh = async (cwd: string, all = false) =>
  (await weighProject({ cwd, layer: {}, above: [], below: [], env: {}, all })).trust;

const MODEL = "openai-compatible/x";
const WRITTEN: Readonly<Record<string, string>> = {
  plain: `---\nmodel: ${MODEL}\n---\n`,
  "a script": "---\nmodel: scripted:evil.json\n---\n",
  runbook: "---\nmodel: runbook\n---\n",
  "on the next line": `---\nmodel:\n  ${MODEL}\n---\n`,
  "a block": `---\nmodel: |\n  ${MODEL}\n---\n`,
  "a folded block": `---\nmodel: >-\n  ${MODEL}\n---\n`,
  "far below": `---\ndescription: ${"x".repeat(20_000)}\nmodel: ${MODEL}\n---\n`,
  "an alias": `---\ndescription: &m ${MODEL}\nmodel: *m\n---\n`,
  "an escaped key": `---\n"mod\\x65l": ${MODEL}\n---\n`,
  "an explicit key": `---\n? model\n: ${MODEL}\n---\n`,
  "a flow map": `---\n{ name: x, model: "openai-compatible\\/x" }\n---\n`,
  "a tag": `---\nmodel: !!str ${MODEL}\n---\n`,
  "a byte order mark": `\uFEFF---\nmodel: ${MODEL}\n---\n`,
  "Windows line ends": `---\r\nmodel: ${MODEL}\r\n---\r\n`,
  "old line ends": `---\rmodel: ${MODEL}\r---\r`,
  "a tab behind the colon": `---\nmodel:\t${MODEL}\n---\n`,
  "blanks behind the dashes": `--- \t\nmodel: ${MODEL}\n---\t\n`,
  "a head that is no YAML": `---\nname: x\ndescription: Use it: when asked\nmodel: ${MODEL}\n---\n`,
  "a key twice": `---\nname: x\nmodel: sonnet\nmodel: ${MODEL}\n---\n`,
};

it.each(Object.keys(WRITTEN))("a role with %s chooses no model that waits", async (name) => {
  const cwd = project();
  writeFileSync(join(cwd, ".ekiden/agents/x.md"), `${WRITTEN[name]}You are x.\n`);
  const trust = await weigh(cwd);
  const { roles } = await loadLibrary(cwd);
  expect(roles.map((role) => trust.judged(role).model).filter(Boolean)).toEqual([]);
  expect(trust.waiting.map(({ id }) => id)).toEqual(
    roles.filter(({ model }) => model !== "").map(() => "model of .ekiden/agents/x.md"),
  );
  const agreed = await weigh(cwd, true);
  expect(roles.map((role) => agreed.judged(role))).toEqual(roles);
  if (name !== "a key twice") expect(roles[0]?.model).not.toBe("");
});

it("a role that is changed during a run loses its model, and so does one of a shared folder and of a linked project", async () => {
  const [cwd, other] = [project(), project()];
  writeFileSync(join(other, ".ekiden/agents/y.md"), WRITTEN.plain ?? "");
  rmSync(join(cwd, ".ekiden/agents"), { recursive: true });
  mkdirSync(join(cwd, "shared"));
  writeFileSync(join(cwd, "shared/y.md"), WRITTEN.plain ?? "");
  symlinkSync(join(cwd, "shared"), join(cwd, ".ekiden/agents"));
  const trust = await weigh(cwd);
  expect(trust.waiting).toMatchObject([{ text: `.ekiden/agents/y.md: model ${MODEL}` }]);
  const source = join(cwd, ".ekiden/agents/new.md");
  expect(trust.judged({ source, model: "a/b" }).model).toBe("");
  const link = `${cwd}-link`;
  symlinkSync(cwd, link);
  onTestFinished(() => rmSync(link, { force: true }));
  expect(trust.judged({ source: join(link, ".ekiden/agents/y.md"), model: MODEL }).model).toBe("");
});

it("waits for no pipe and no device among the roles", async () => {
  const cwd = project();
  execFileSync("mkfifo", [
    join(cwd, ".ekiden/agents/pipe.md"),
    join(cwd, "AGENTS.md"),
    join(cwd, ".mcp.json"),
  ]);
  symlinkSync("/dev/zero", join(cwd, ".ekiden/agents/zero.md"));
  writeFileSync(join(cwd, ".ekiden/agents/deep.md"), `---\nmodel: ${"[".repeat(50_000)}\n---\n`);
  const trust = await weigh(cwd);
  const { problems } = await loadLibrary(cwd);
  expect([trust.waiting, trust.servers]).toEqual([[], {}]);
  expect(problems.map(({ why }) => why)).toEqual([
    "it is nested more than 100 levels deep",
    "it is a pipe, not a regular file",
    "it is a device, not a regular file",
    "it is a pipe, not a regular file",
  ]);
});
