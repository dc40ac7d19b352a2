/** `ekiden prune` and `ekiden backup`, as an operator uses them. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ManualClock, systemClock } from "../../../src/adapters/clock.ts";
import { openStore } from "../../../src/adapters/store/index.ts";
import { heard } from "../../../src/core/conversation/chat.ts";
import { asTaskId, type HostId, instant, LEAD, PERSON } from "../../../src/core/ids.ts";
import type { PruneData } from "../../../src/core/views/prune.ts";
import { repositoryIn } from "../../fixtures/repository.ts";
import { name } from "../../fixtures/stage.ts";
import { Project } from "../cli-program.ts";

let project: Project;
beforeEach(() => {
  project = new Project();
});
afterEach(() => project.end());

/** A team whose facts are all of the year 1970. */
async function old(team: string, unfinished: number): Promise<void> {
  mkdirSync(join(project.dir, ".ekiden"), { recursive: true });
  const url = `sqlite:${join(project.dir, ".ekiden/team.db")}`;
  const store = await openStore({ url, team: name(team), clock: new ManualClock() });
  await store.journal.warn(null, "old");
  for (let i = 0; i < unfinished; i += 1) await store.board.add({ subject: "to do" }, PERSON);
  await store.close();
}

/** A gate of a team that ran then. */
async function gates(team: string, at: number): Promise<void> {
  const url = `sqlite:${join(project.dir, ".ekiden/team.db")}`;
  const clock = { ...systemClock, now: () => instant(at) };
  const store = await openStore({ url, team: name(team), clock });
  const gate = { branch: "b", task: asTaskId(1), base: "0", commit: "1", tree: "2", command: "true" };
  await store.landings.gates.record({ ...gate, green: true, ms: 1 }, PERSON, []);
  await store.close();
}

it("shows what would go, deletes it, and keeps what is young, unfinished or in use", async () => {
  repositoryIn(project.dir, { "a.txt": "a\n" });
  await old("default", 1);
  await old("silent", 0);
  await old("busy", 1);
  const output = join(project.dir, ".ekiden/output");
  project.write({ ".ekiden/output/old.log": "x", ".ekiden/output/young.log": "x", "kept.txt": "x" });
  utimesSync(join(output, "old.log"), 1, 1);
  symlinkSync(join(project.dir, "kept.txt"), join(output, "link"));
  await gates("default", 1);
  await gates("busy", Date.now());

  const prune = (...options: string[]): Promise<PruneData> => project.json(["prune", ...options]);
  const shown = await prune("--teams", "--dry-run");
  expect(shown).toMatchObject({ dryRun: true, outputFiles: 1, gates: 1 });
  const deleted = (data: PruneData) =>
    Object.fromEntries(data.teams.map((team) => [team.name, team.deleted]));
  expect(deleted(shown)).toEqual({ default: "no", silent: "yes", busy: "kept: 1 unfinished" });
  expect(existsSync(join(output, "old.log"))).toBe(true);
  expect(deleted(await prune("--dry-run"))).toEqual({ default: "no", silent: "no", busy: "no" });

  const done = await prune("--teams");
  expect(done).toEqual({ ...shown, dryRun: false, before: expect.any(Number) });
  expect(existsSync(join(output, "old.log"))).toBe(false);
  expect(existsSync(join(output, "young.log"))).toBe(true);
  expect(existsSync(join(project.dir, "kept.txt"))).toBe(true);
  const teams = await project.json<{ teams: { name: string }[] }>(["teams"]);
  expect(teams.teams.map((team) => team.name).sort()).toEqual(["busy", "default"]);
  expect((await project.run(["tasks", "1"])).stdout).toContain("to do");
  expect(await prune("--teams")).toMatchObject({ outputFiles: 0, gates: 0 });

  expect((await project.run(["prune", "--days", "soon"])).stderr).toContain('--days "soon" is not a number');
  const member = await project.run(["prune"], { env: { EKIDEN_MEMBER: "alice" } });
  expect(member).toMatchObject({ stderr: expect.stringContaining("a member may not delete") });
});

it("deletes an old image once no mail and no conversation names it", async () => {
  await old("default", 0);
  const images = join(project.dir, ".ekiden/output/images");
  const image = (sha256: string) =>
    ({ type: "image", name: "shot.png", sha256, mediaType: "image/png", bytes: 1 }) as const;
  const url = `sqlite:${join(project.dir, ".ekiden/team.db")}`;
  const store = await openStore({ url, team: name("default"), clock: new ManualClock() });
  await store.roster.open("h" as HostId, "here", process.pid);
  const profile = { name: LEAD, kind: "lead", role: "", model: "", prompt: "", needsPlan: false } as const;
  const lead = await store.roster.join(profile, "h" as HostId, PERSON);
  await store.transcript.record(lead, [heard("seen", [image("read")])]);
  await store.mail.send(PERSON, {
    to: LEAD,
    body: { kind: "note", text: "look", images: [image("unread")] },
  });
  await store.close();
  for (const sha256 of ["read", "unread", "forgotten", "young"]) {
    project.write({ [`.ekiden/output/images/${sha256}.png`]: "x" });
    if (sha256 !== "young") utimesSync(join(images, `${sha256}.png`), 1, 1);
  }

  expect(await project.json(["prune", "--dry-run", "--days", "3000"])).toMatchObject({ images: 1 });
  expect(readdirSync(images)).toHaveLength(4);
  expect(await project.json(["prune", "--days", "3000"])).toMatchObject({ images: 1 });
  expect(readdirSync(images).sort()).toEqual(["read.png", "unread.png", "young.png"]);
});

it("copies the store to a file that is a store, and overwrites nothing unasked", async () => {
  expect((await project.run(["backup", "copy.db"])).stderr).toContain("there is no store to copy");
  await old("default", 2);
  const copy = join(project.dir, "copy.db");
  expect((await project.run(["backup", "copy.db"])).code).toBe(0);
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  const tasks = await project.json<{ counts: { pending: number } }>(["--store", `sqlite:${copy}`, "tasks"]);
  expect(tasks.counts.pending).toBe(2);

  const before = readFileSync(copy);
  const again = await project.run(["backup", "copy.db"]);
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining("replace it with --force") });
  expect(readFileSync(copy)).toEqual(before);
  expect((await project.run(["backup", "copy.db", "--force"])).code).toBe(0);
  const nowhere = await project.run(["backup", "no/such/folder/copy.db"]);
  expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining("cannot be written") });
  const other = await project.run(["--store", "postgres://me:secret@db/work?schema=team", "backup", "x"]);
  expect(other.stderr).toContain("pg_dump --format=custom --schema=team --file=FILE work (host db)");
  expect(other.stderr).not.toContain("secret");
});
