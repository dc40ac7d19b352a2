/** Several teams in one store, as their leads and as a person use them. */
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../../src/adapters/clock.ts";
import { openStore } from "../../../src/adapters/store/index.ts";
import { LEAD, name, PERSON } from "../../../src/core/ids.ts";
import { programTeam, resultsIn } from "../../fixtures/program-team.ts";
import { takeAway } from "../../fixtures/take-away.ts";
import { Project } from "../cli-program.ts";

let project: Project;
beforeEach(() => {
  project = new Project();
});
afterEach(() => project.end());

const call = (tool: string, input: Record<string, unknown>) => ({ calls: [{ tool, input }] });
const names = (tools: readonly { name: string }[] | undefined): string[] =>
  (tools ?? []).map((tool) => tool.name);

it("a lead creates a team with a goal, mails it, and deletes it; only where the settings say so", async () => {
  const { host, store, requests } = await programTeam({
    settings: { teams: true, mailAcrossTeams: [name("backend")], teammates: [] },
    says: {
      lead: [
        call("create_team", { name: "backend", goal: "Move to GraphQL" }),
        call("send_message", { to: "lead@backend", text: "and quickly" }),
        call("send_message", { to: "lead@elsewhere", text: "hello" }),
        call("create_team", { name: "backend" }),
        async () => {
          const backend = await store.forTeam(name("backend"));
          expect(await backend.mail.box(LEAD)).toMatchObject([
            { from: "lead@default", body: { text: "Move to GraphQL" } },
            { from: "lead@default", body: { text: "and quickly" } },
          ]);
          await backend.board.add({ subject: "x" }, PERSON);
          await backend.close();
          return call("delete_team", { name: "backend" });
        },
        call("delete_team", { name: "backend", force: true }),
        { times: "any", text: "done" },
      ],
    },
  });
  await host.start({ goal: "Go" });
  await host.done;
  expect(names(requests("lead")[0]?.tools)).toEqual(expect.arrayContaining(["create_team", "delete_team"]));
  expect(resultsIn(requests("lead").at(-1)).map((text) => text.replace(/^\w+: /, ""))).toEqual([
    expect.stringMatching(/^Created team "backend"\..*ekiden --team backend resume$/),
    "Sent to lead@backend.",
    expect.stringContaining('Mail to team "elsewhere" is not allowed'),
    expect.stringContaining('There is a team "backend" already'),
    expect.stringContaining("an unfinished task"),
    'Deleted team "backend".',
  ]);
  expect(await store.teams()).toEqual(["default"]);
  const { events } = await store.journal.read(store.journal.from(0), { types: ["team.created"], limit: 10 });
  expect(events.filter((event) => "team" in event)).toMatchObject([{ team: "backend", by: "lead" }]);
});

it("a lead ends and deletes its own team as its last act, but not with unfinished work", async () => {
  const { host, store, folder } = await programTeam({
    keep: true,
    settings: { teammates: [], teams: true },
    says: {
      lead: [
        call("create_task", { subject: "a" }),
        call("delete_team", { name: "default" }),
        { when: "has 1 unfinished tasks", ...call("claim_task", { id: 1 }) },
        call("complete_task", { id: 1, result: "ok" }),
        { text: "All is done. Good bye.", ...call("delete_team", { name: "default" }) },
      ],
    },
  });
  await (await store.forTeam(name("other"))).close();
  await host.start({ goal: "Go" });
  expect(await host.done).toMatchObject({
    reason: "concluded",
    completed: 1,
    text: "All is done. Good bye.",
  });
  await host.close();
  const again = await openStore({
    url: `sqlite:${join(folder, ".ekiden", "team.db")}`,
    team: name("other"),
    clock: systemClock,
  });
  onTestFinished(async () => {
    await again.close();
    takeAway(folder);
  });
  expect(await again.teams()).toEqual(["other"]);
});

it("without the settings a lead has none of it", async () => {
  const { host, store, requests } = await programTeam({
    settings: { teammates: [] },
    says: {
      lead: [call("send_message", { to: "lead@backend", text: "x" }), { times: "any", text: "done" }],
    },
  });
  await (await store.forTeam(name("backend"))).close();
  await host.start({ goal: "Go" });
  await host.done;
  expect(names(requests("lead")[0]?.tools)).not.toContain("create_team");
  expect(resultsIn(requests("lead")[1])[0]).toContain('Mail to team "backend" is not allowed');
});

it("a person lists, creates, mails and deletes teams", async () => {
  expect((await project.run(["teams"])).stdout).toContain("no teams yet");
  await project.run(["add", "One"]);
  await project.run(["--team", "backend", "add", "Two"]);
  expect((await project.run(["teams", "create", "docs"])).stderr).toBe(
    "created; start it with ekiden --team docs run GOAL\n",
  );
  const { teams } = await project.json<{ teams: { name: string; counts: { total: number } }[] }>(["teams"]);
  expect(teams.map((team) => [team.name, team.counts.total])).toEqual([
    ["default", 1],
    ["backend", 1],
    ["docs", 0],
  ]);
  expect(await project.run(["send", "lead@backend", "hello"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("not allowed by the setting mailAcrossTeams"),
  });
  project.write({ ".ekiden/settings.json": '{ "mailAcrossTeams": ["backend"] }' });
  expect(await project.run(["send", "lead@backend", "hello"])).toMatchObject({ code: 0 });
  const list = (await project.run(["teams"])).stdout;
  expect(list).toMatch(/default +waits for: ekiden resume/);
  expect(list).toMatch(/backend +waits for: ekiden --team backend resume/);
  expect(list).toMatch(/docs +at rest/);
  const inbox = await project.json<{ mail: { from: string }[] }>(["--team", "backend", "inbox", "lead"]);
  expect(inbox.mail).toMatchObject([{ from: "person@default" }]);
  expect(await project.run(["teams", "delete", "backend"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("an unfinished task"),
  });
  expect(await project.run(["teams", "delete", "backend", "--force"])).toMatchObject({ code: 0 });
  expect((await project.run(["teams"])).stdout).not.toContain("backend");
});
