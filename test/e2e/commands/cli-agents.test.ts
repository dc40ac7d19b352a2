/** `ekiden agents`: programs as npm installs them, a link in PATH to a file of a package. None of them may be started. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { AgentProgram } from "../../../src/adapters/agents/look.ts";
import { Project } from "../cli-program.ts";

let project: Project;
let place: string;
beforeEach(() => {
  project = new Project();
  place = mkdtempSync(join(tmpdir(), "ekiden-agents-"));
});
afterEach(async () => {
  await project.end();
  rmSync(place, { recursive: true, force: true });
});

function write(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

/** A program that says by a file that it was started. */
function install(program: string, name: string, engine: string, root = place): void {
  const file = write(
    join(root, "lib/node_modules", name, "dist/index.js"),
    `#!/bin/sh\n: > '${root}/started'\n`,
  );
  chmodSync(file, 0o755);
  write(
    join(root, "lib/node_modules", name, "package.json"),
    JSON.stringify({ name, version: "1.2.3", engines: { node: engine } }),
  );
  mkdirSync(join(root, "bin"), { recursive: true });
  symlinkSync(file, join(root, "bin", program));
}

async function agents(
  env: Record<string, string> = {},
  ...args: string[]
): Promise<{ of: (name: string) => AgentProgram; code: number | null; text: string }> {
  const PATH = [join(place, "bin"), join(project.dir, "bin"), dirname(process.execPath), "/usr/bin:/bin"];
  const all = { PATH: PATH.join(":"), HOME: join(place, "home"), CODEX_HOME: "", ...env };
  const run = await project.run(["agents", "--json", ...args], { env: all });
  const list = run.code === 0 ? (JSON.parse(run.stdout) as { agents: AgentProgram[] }).agents : [];
  const of = (name: string): AgentProgram => list.find((one) => one.name === name) as AgentProgram;
  return { of, code: run.code, text: run.stdout + run.stderr };
}

it("names version, login and what is missing, and starts no program", async () => {
  install("codex-acp", "@agentclientprotocol/codex-acp", ">=20");
  install("qwen", "@qwen-code/qwen-code", ">=99.1");
  write(join(place, "home/.codex/auth.json"), '{"token":"never-shown"}');
  const { of, text } = await agents();
  expect(of("codex")).toMatchObject({
    version: "1.2.3",
    login: join(place, "home/.codex/auth.json"),
    missing: [],
  });
  expect(of("qwen").missing).toEqual([
    `Qwen Code needs Node >=99.1; the node in PATH is ${process.version}.`,
    "No login was found. Run qwen and log in there, or set OPENAI_API_KEY.",
  ]);
  expect(text).not.toContain("never-shown");
  expect(existsSync(join(place, "started"))).toBe(false);
});

it("tells a login by a variable without its value", async () => {
  install("codex-acp", "@agentclientprotocol/codex-acp", ">=20");
  const { of, text } = await agents({ OPENAI_API_KEY: "never-shown" }, "codex");
  expect(of("codex")).toMatchObject({ login: "OPENAI_API_KEY", missing: [] });
  expect(text).not.toContain("never-shown");
});

it("takes no program that lies in the project", async () => {
  install("codex-acp", "@agentclientprotocol/codex-acp", ">=20", project.dir);
  expect((await agents()).of("codex").path).toBeNull();
});

it("looks for a program that is no preset, and refuses other names", async () => {
  install("my-agent", "my-agent", ">=20");
  expect((await agents({}, "acp:my-agent --stdio")).of("acp:my-agent --stdio").path).toBe(
    join(place, "bin/my-agent"),
  );
  const wrong = await agents({}, "nobody");
  expect(wrong.code).not.toBe(0);
  expect(wrong.text).toContain("Use claude, codex, opencode, gemini, qwen, or acp:COMMAND.");
});

it("is in the doctor's list, where none of them is wrong", async () => {
  install("codex-acp", "@agentclientprotocol/codex-acp", ">=20");
  const PATH = [join(place, "bin"), dirname(process.execPath), "/usr/bin:/bin"].join(":");
  const run = await project.run(["doctor", "--json"], {
    env: { PATH, HOME: join(place, "home"), OLLAMA_HOST: "http://127.0.0.1:9" },
  });
  const { findings } = JSON.parse(run.stdout) as { findings: { name: string }[] };
  expect(findings.find(({ name }) => name === "agents")).toMatchObject({
    state: "ok",
    found: "codex 1.2.3",
  });
});

it("takes the vendor's own program where its adapter is missing, and says what is better", async () => {
  install("codex", "@openai/codex", ">=16");
  const { of } = await agents({ OPENAI_API_KEY: "x" });
  expect(of("codex")).toMatchObject({ path: join(place, "bin/codex"), login: "OPENAI_API_KEY" });
  expect(of("codex").missing).toEqual([expect.stringMatching(/^It works as codex alone\..*codex-acp/)]);
  expect(existsSync(join(place, "started"))).toBe(false);
});
