/** `worktrees: "auto"`: tasks get clones by themselves where several members may write in a repository that can have them. */
import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Step } from "../../../src/adapters/models/scripted.ts";
import { recruits } from "../../../src/core/board/recruit.ts";
import type { Settings } from "../../../src/core/settings/settings.ts";
import { programTeam } from "../../fixtures/program-team.ts";
import { project } from "../../fixtures/project.ts";
import { type Repository, repository, repositoryIn } from "../../fixtures/repository.ts";

type Case = {
  readonly settings?: Partial<Settings>;
  readonly embedded?: boolean;
  readonly interactive?: boolean;
  readonly arrange?: (repo: Repository) => void;
  /** What the person is told; none for nothing. */
  readonly says?: RegExp;
};
const CLONES = /^Each task gets a clone of the repository, and lands on main .*--no-worktrees/;

it.each<[string, Case]>([
  ["two teammates", { says: CLONES }],
  ["a lead that adds teammates itself", { settings: { teammates: undefined }, says: CLONES }],
  ["a conversation with a lead", { settings: { teammates: undefined }, interactive: true }],
  ["a conversation beside two teammates", { interactive: true, says: CLONES }],
  ["one teammate", { settings: { teammates: recruits(1) } }],
  ["a runbook", { embedded: true }],
  ["a person who wants one folder", { settings: { worktrees: false } }],
  ["submodules", { arrange: (repo) => repo.write({ ".gitmodules": "" }) }],
  [
    "changes that are not committed",
    {
      arrange: (repo) => repo.write({ "a.txt": "changed\n" }),
      says: /^All members work in one folder\. .* uncommitted.*: a\.txt\. Commit or stash them\.$/,
    },
  ],
  [
    "no branch",
    {
      arrange: (repo) => void repo.git("checkout", "--quiet", "--detach"),
      says: /^All members work in one folder\. .*detached HEAD/,
    },
  ],
])("decides for %s", async (_, { settings, arrange, says, ...more }) => {
  const repo = repository({ "a.txt": "a\n" });
  arrange?.(repo);
  const notices: string[] = [];
  const { host } = await programTeam({
    says: {},
    settings: { teammates: recruits(2), ...settings },
    folder: repo.dir,
    host: { onNotice: (text) => notices.push(text), ...more },
  });
  expect(notices).toEqual(says ? [expect.stringMatching(says)] : []);
  await host.close();
});

it("continues with clones in a project that has changes by now", async () => {
  const repo = repository({ "a.txt": "a\n" });
  const settings = { teammates: recruits(2) };
  const first = await programTeam({ says: {}, settings, folder: repo.dir, keep: true });
  await first.host.close();
  repo.write({ "a.txt": "changed\n" });
  const notices: string[] = [];
  const host = { resume: true, onNotice: (text: string) => void notices.push(text) };
  await programTeam({ says: {}, settings, folder: repo.dir, host });
  expect(notices).toEqual([]);
});

it("says nothing in a folder without a repository", async () => {
  const notices: string[] = [];
  await programTeam({
    says: {},
    settings: { teammates: recruits(2) },
    folder: realpathSync(mkdtempSync(join(tmpdir(), "ekiden-no-repository-"))),
    host: { onNotice: (text) => notices.push(text) },
  });
  expect(notices).toEqual([]);
});

const adds = (subject: string): Step => ({
  calls: [{ tool: "create_task", input: { subject, description: subject } }],
});
const works: readonly Step[] = [
  { calls: [{ tool: "bash", input: { command: 'pwd -P > "$(basename "$PWD").txt"' } }] },
  { calls: [{ tool: "complete_task", input: { result: "done" } }] },
  { times: "any", text: "Done." },
];

it("lets each task work in its clone and land from there", async () => {
  const repo = repository({ "a.txt": "a\n" });
  const team = await programTeam({
    says: {
      lead: [adds("One"), adds("Two"), { times: "any", text: "Fine." }],
      alice: works,
      bob: works,
    },
    settings: { teammates: recruits(2), permissionMode: "bypass" },
    folder: repo.dir,
  });
  await team.host.start({ goal: "Go" });
  expect(await team.host.done).toMatchObject({ completed: 2, failed: 0 });
  for (const name of ["1-one", "2-two"]) expect(repo.read(`${name}.txt`)).toContain(`/worktrees/${name}\n`);
});

it("asks on a terminal what becomes of changes that are not committed", async () => {
  const place = project();
  repositoryIn(place.dir, { "a.txt": "a\n" }).write({ "a.txt": "changed\n" });
  const terminal = await place.open(["run", "Go", "--plain", "--lead", "claude"], { columns: 100, rows: 20 });
  await terminal.shows("Not committed: a.txt. Where shall the team work?");
  terminal.type("4\r");
  await terminal.shows(/1-3: 4\s+1-3:/);
  terminal.type("3\r");
  expect(await terminal.ended).toBe(2);
  await terminal.shows("Nothing was started. Commit your changes, and start again.");
});
