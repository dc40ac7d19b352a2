/** A host is killed and nobody resumes it: the commands that it ran end all the same, whatever started them. */
import { readdirSync, readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { bubblewrapOrSkip } from "../../fixtures/bubblewrap.ts";
import { sampled } from "../../fixtures/fuzz.ts";
import { repositoryIn } from "../../fixtures/repository.ts";
import { soon } from "../../fixtures/soon.ts";
import { ended, Project } from "../cli-program.ts";

let project: Project;
beforeEach(() => {
  project = new Project();
});
afterEach(() => project.end());

let count = 0;
/** A command that can be found by its argument, also in the process namespace of a sandbox and without our environment. */
const sleeper = (): string => {
  count += 1;
  return `sleep 600.${process.pid}${count}`;
};
const running = (command: string): number =>
  readdirSync("/proc").filter((entry) => {
    try {
      return readFileSync(`/proc/${entry}/cmdline`, "latin1") === `${command.replace(" ", "\0")}\0`;
    } catch {
      return false;
    }
  }).length;

type Case = {
  readonly block: string;
  readonly settings?: object;
  /** Default: off. */
  readonly sandbox?: "required";
  readonly tree?: true;
};
const CASES: Readonly<Record<string, (command: string) => Case>> = {
  "a command": (command) => ({ block: command }),
  "a child in another session without our environment": (command) => ({
    block: `env -i setsid ${command} &\n${sleeper()}`,
  }),
  "a grandchild behind a pipe": (command) => ({
    block: `(env -i setsid sh -c '${command}; :' | cat) &\n${sleeper()}`,
  }),
  "a hook": (command) => ({
    block: "true",
    settings: { hooks: { TaskCompleted: [{ command }] } },
  }),
  "an MCP server that ignores the end of its input": (command) => ({
    block: sleeper(),
    settings: { mcpServers: { s: { command: "sleep", args: [command.replace("sleep ", "")] } } },
  }),
  "a gate": (command) => ({
    block: "echo a > a.txt",
    settings: { worktrees: true, gate: command, gateTimeoutMs: 600_000 },
    tree: true,
  }),
};

it.runIf(process.platform === "linux").each(sampled(Object.entries(CASES), 3))(
  "%s ends with its host",
  (_, made) => endsWithHost(made),
);
bubblewrapOrSkip(it)("a command in the sandbox ends with its host", () =>
  endsWithHost((command) => ({ block: `env -i setsid ${command} & wait`, sandbox: "required" })),
);

async function endsWithHost(made: (command: string) => Case): Promise<void> {
  const command = sleeper();
  const { block, settings = {}, sandbox = "off", tree } = made(command);
  if (tree) repositoryIn(project.dir, { ".gitignore": ".ekiden/\n" });
  project.write({
    ".ekiden/settings.json": JSON.stringify(settings),
    "plan.md": `# Goal\n\n## Long\n\`\`\`sh timeout=600s\n${block}\n\`\`\`\n`,
  });
  const host = project.start(["run", "plan.md"], { EKIDEN_SANDBOX: sandbox });
  let said = "";
  for (const stream of [host.stdout, host.stderr]) stream?.on("data", (chunk) => (said += chunk));
  const gone = ended(host);
  await soon(() => expect(running(command), said).toBe(1));
  host.kill("SIGKILL");
  await gone;
  await soon(() => expect(running(command)).toBe(0));
}
