/** A whole run over HTTP in a project that has rules, a role, skills and a memory: who is told what, and what stays behind. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { calls, type ModelCall, says, startModelServer } from "../../fixtures/model-server/index.ts";
import { Project } from "../cli-program.ts";

const FILES = {
  "AGENTS.md": "Use tabs.",
  "README.md": "read me",
  ".claude/agents/reviewer.md":
    "---\nname: reviewer\ndescription: Reads diffs\ntools: Read, Grep, Glob, Task, Skill\n---\nYou only read.",
  ".agents/skills/docs/SKILL.md": "---\nname: docs\ndescription: Look after the docs\n---\nRead every page.",
  ".claude/skills/broken/SKILL.md": "---\nname: [\n---\n",
  ".ekiden/memory/MEMORY.md": "- [build](build.md): make\n",
  ".ekiden/memory/build.md": "- make\n",
};

const whoOf = ({ system }: ModelCall): string => /^You are "([^"]+)"/.exec(system)?.[1] ?? "memory";

function answer(request: ModelCall) {
  const last = JSON.stringify(request.messages.at(-1));
  switch (whoOf(request)) {
    case "lead":
      if (last.includes("Tidy the docs"))
        return calls("create_task", {
          subject: "Review the docs",
          description: "All of them",
          role: "reviewer",
        });
      return says(last.includes("quiet") ? "The docs are fine." : "Planned.");
    case "bob":
      if (last.includes("auto-claimed")) return calls("load_skill", { name: "docs" });
      if (last.includes("Read every page."))
        return calls("task", { prompt: "List the pages", read_only: true });
      if (last.includes("One page")) return calls("remember", { topic: "docs", text: "There is one page" });
      if (last.includes("Remembered.")) return calls("complete_task", { result: "One page, fine" });
      return says("Done.");
    case "bob/1":
      return request.messages.length === 1 ? calls("glob", { pattern: "*.md" }) : says("One page");
    default:
      return says('[{"topic": "docs", "text": "Pages are Markdown"}]');
  }
}

it("works by what the project lays down, and keeps what it learned", async () => {
  const project = new Project();
  onTestFinished(() => project.end());
  const server = await startModelServer({ anthropic: answer });
  onTestFinished(() => server.close());
  project.write(FILES);
  const own = join(project.home, ".config/ekiden/skills/mine");
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, "SKILL.md"), "The person's own.");
  const run = await project.run(
    ["run", "Tidy the docs", "--model", "anthropic/claude-haiku-4-5", "--teammate", "bob:reviewer"],
    { env: { ...server.env, EKIDEN_MEMORY: "true" } },
  );
  expect(run).toMatchObject({ code: 0, stdout: "The docs are fine.\n" });
  expect(run.stderr.match(/broken\/SKILL\.md is not used/g)).toHaveLength(1);

  const first = (who: string) => server.requests.find((request) => whoOf(request) === who);
  expect(first("lead")?.system).toContain("Roles for spawn_teammate:\n- reviewer: Reads diffs");
  expect(first("lead")?.tools).toContain("write_file");
  const bob = first("bob");
  for (const part of [
    "Use tabs.",
    "You only read.",
    "- docs: Look after the docs",
    "- mine: The person's own.",
    "(build.md): make",
  ])
    expect(bob?.system).toContain(part);
  for (const tool of ["bash", "write_file", "edit_file"]) expect(bob?.tools).not.toContain(tool);
  expect(first("bob/1")?.tools).toEqual(expect.arrayContaining(["read_file", "glob", "grep"]));
  for (const tool of ["bash", "task", "complete_task", "remember"])
    expect(first("bob/1")?.tools).not.toContain(tool);

  const memory = (file: string) => readFileSync(join(project.dir, ".ekiden/memory", file), "utf8");
  expect(memory("docs.md")).toMatch(
    /^- There is one page \(bob, [\d-]+\)\n- Pages are Markdown \(bob, [\d-]+\)\n$/,
  );
  expect(memory("MEMORY.md")).toContain("- [docs](docs.md): There is one page");
  const transcript = await project.run(["transcript", "bob/1"]);
  expect(transcript.stdout).toContain("List the pages");
});
