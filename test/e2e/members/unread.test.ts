/** Mail that stays unread is told: to the member that reads a part of it, and to the person when a run ends. */
import { expect, it, onTestFinished } from "vitest";
import { type HostId, name } from "../../../src/core/ids.ts";
import { call, quiet } from "../../fixtures/loops.ts";
import { programTeam } from "../../fixtures/program-team.ts";
import { profile } from "../../fixtures/stage.ts";
import { Project } from "../cli-program.ts";

const settings = { permissionMode: "bypass", sandbox: "off", teammates: [] } as const;

it("tells the person at the end of a run who has not read what", async () => {
  const send = call("send_message", { to: "zoe", text: "Are you\nthere?" });
  const team = await programTeam({
    says: { lead: [{ calls: [...(send.calls ?? []), ...(send.calls ?? [])] }, ...quiet] },
    settings: { ...settings, maxTurns: 1 },
  });
  const there = "there" as HostId;
  await team.store.roster.open(there, "another machine", 1);
  await team.store.roster.join(profile("zoe"), there, name("lead"));
  await team.host.start({ goal: "Go" });
  expect(await team.host.done).toMatchObject({ reason: "turns", unread: [{ to: "zoe", count: 2 }] });
  const [warning] = (await team.events("warning.raised")).filter(
    (one) => "text" in one && /zoe/.test(one.text),
  );
  expect(warning).toMatchObject({
    text: 'The run ends, and zoe has not read all notes: 2 unread, the newest from lead: "Are you there?". ekiden inbox zoe shows them.',
  });
});

it("tells a member that reads 100 of 250 notes how many are left, once a turn", async () => {
  const team = await programTeam({ says: { lead: quiet }, settings });
  for (let n = 1; n <= 250; n += 1)
    await team.store.mail.send(name("person"), {
      to: name("lead"),
      body: { kind: "note", text: `Look at ${n}.` },
    });
  await team.host.start({ goal: "Go" });
  await team.host.done;
  const heard = JSON.stringify(team.requests("lead").at(-1)?.messages);
  expect(heard).toContain('<more-mail unread=\\"151\\">');
  expect(heard.match(/<more-mail/g)).toHaveLength(2);
});

it("names in the last lines who has not read what, and the exit code stays that of the board", async () => {
  const project = new Project();
  onTestFinished(() => project.end());
  project.write({ "plan.md": "# Build\n## Build\n```sh\necho built\n```\n" });
  const store = await project.store();
  await store.roster.open("there" as HostId, "another machine", 1);
  await store.roster.join(profile("zoe"), "there" as HostId, name("lead"));
  for (const text of ["one", "two", "three"])
    await store.mail.send(name("person"), { to: name("zoe"), body: { kind: "note", text } });
  const { code, stderr } = await project.run(["run", "plan.md"]);
  expect(stderr).toContain(`Not read: 3 notes to zoe. To see them: ekiden inbox zoe --cwd ${project.dir}\n`);
  expect(code, stderr).toBe(0);
});
