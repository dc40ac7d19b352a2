/** `ekiden doctor`: it tries what a run would use, and names the files it has read. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { fails, type ModelServer, says, startModelServer } from "../../fixtures/model-server/index.ts";
import { Project } from "../cli-program.ts";

let project: Project;
let server: ModelServer | null = null;
beforeEach(() => {
  project = new Project();
});
afterEach(async () => {
  await project.end();
  const closing = server?.close();
  server = null;
  await closing;
});

type Finding = { name: string; state: string; found: string; fix?: string };

async function doctor(
  env: Record<string, string> = {},
  ...args: string[]
): Promise<{ code: number | null; of: (name: string) => Finding | undefined; text: string }> {
  const run = await project.run(["doctor", "--json", ...args], {
    env: { OLLAMA_HOST: "http://127.0.0.1:9", ...env },
  });
  const { findings } = JSON.parse(run.stdout) as { findings: Finding[] };
  return { code: run.code, of: (name) => findings.find((one) => one.name === name), text: run.stdout };
}

/** Without the keys of the other providers that the server can play. */
const anthropic = (env: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith("ANTHROPIC")));

it("tries the key and the model with one short reply", async () => {
  server = await startModelServer({ anthropic: () => says("ok") });
  const good = await doctor(anthropic(server.env), "--model", "anthropic/claude-haiku-4-5");
  expect(good.of("model: anthropic")).toMatchObject({
    state: "ok",
    found: expect.stringMatching(
      /^key is set, reachable, anthropic.claude-haiku-4-5 answers in \d+ ms$/,
    ) as string,
  });
  expect(server.requests).toHaveLength(1);
  await server.close();
  server = await startModelServer({ anthropic: () => fails.unauthorized() });
  const bad = await doctor(anthropic(server.env));
  expect(bad.code).toBe(1);
  expect(bad.of("model: anthropic")).toMatchObject({
    state: "wrong",
    found: expect.stringMatching(/reachable, but .*401|reachable, but .*key/),
    fix: expect.stringContaining("ANTHROPIC_API_KEY"),
  });
  expect(bad.text).not.toContain(server.env.ANTHROPIC_API_KEY);
});

it("refuses a model of a provider that does not exist", async () => {
  const bad = await doctor({}, "--model", "anthropc/claude-haiku-4-5");
  expect(bad.code).toBe(1);
  expect(bad.of("model")).toMatchObject({
    state: "wrong",
    found: "anthropc/claude-haiku-4-5",
    fix: expect.stringContaining('Did you mean "anthropic"?') as string,
  });
});

it("names the files it has read, and what is wrong in them", async () => {
  project.write({
    "AGENTS.md": "Be kind.",
    ".ekiden/agents/tester.md": "---\ntools: [read_file, bsh]\n---\nTest.",
    ".ekiden/skills/ship/SKILL.md": "---\nname: ship\ndescription: ships\n---\nShip.",
    ".ekiden/settings.json": JSON.stringify({
      hooks: {
        PreToolUse: [
          { matcher: "bsah", command: "./nowhere.sh --x" },
          { matcher: "bash", command: "true" },
        ],
      },
    }),
  });
  const { of, code } = await doctor();
  expect(code).toBe(1);
  expect(of("settings")).toMatchObject({ state: "ok", found: "valid; read .ekiden/settings.json" });
  expect(of("rules")?.found).toBe("AGENTS.md");
  expect(of("roles")?.found).toBe(".ekiden/agents/tester.md");
  expect(of("skills")?.found).toBe(".ekiden/skills/ship/SKILL.md");
  expect(of("agent files")).toMatchObject({ state: "wrong", found: expect.stringContaining('"bsh"') });
  expect(of("hooks")?.found).toBe(
    'PreToolUse: ./nowhere.sh is not found\nPreToolUse: no tool is called "bsah". Did you mean "bash"?',
  );
});

it("starts the MCP servers, and reads an invalid .mcp.json", async () => {
  project.write({ ".mcp.json": '{ "mcpServers": ' });
  expect((await doctor()).of("mcp")).toMatchObject({
    state: "wrong",
    found: expect.stringContaining(".mcp.json is not JSON"),
  });
  const everything = resolve("node_modules/@modelcontextprotocol/server-everything/dist/index.js");
  const mcpServers = {
    good: { command: process.execPath, args: [everything] },
    gone: { command: "no-such-program" },
    odd: { command: 5 },
  };
  project.write({ ".mcp.json": JSON.stringify({ mcpServers }) });
  const { of } = await doctor();
  expect(of("mcp: good")).toMatchObject({ state: "ok", found: expect.stringMatching(/^\d+ tools$/) });
  expect(of("mcp: gone")).toMatchObject({
    state: "wrong",
    fix: expect.stringContaining('its command "no-such-program"'),
  });
  expect(of("mcp")?.found).toContain('the project: server "odd"');
});

it("starts no program that the project puts into the search path", async () => {
  const bin = "node_modules/.bin";
  for (const name of ["git", "bash"]) project.write({ [`${bin}/${name}`]: "#!/bin/sh\ntouch CANARY\n" });
  execFileSync("chmod", ["-R", "+x", join(project.dir, bin)]);
  const { of } = await doctor({ PATH: `${join(project.dir, bin)}:${process.env.PATH}` });
  expect([of("git")?.state, of("bash")?.state]).toEqual(["ok", "ok"]);
  expect(of("git")?.found).toMatch(/^git version/);
  expect(existsSync(join(project.dir, "CANARY"))).toBe(false);
});
