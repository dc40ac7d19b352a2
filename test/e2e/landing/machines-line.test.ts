/** The landing line of several machines: a refused task lands next, whatever machine it is on; hosts must land alike. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { appendPlan, outcomeOf } from "../../fixtures/append-plan.ts";
import { clones } from "../../fixtures/clones.ts";
import { soon } from "../../fixtures/soon.ts";
import { takeAway } from "../../fixtures/take-away.ts";

const worker = (count: number): string[] => ["worker", "--model", "runbook", "--count", String(count)];

it.each([4])("lands %i tasks that append to one line, from three clones", async (count) => {
  const outside = mkdtempSync(join(tmpdir(), "ekiden-outside-"));
  onTestFinished(() => takeAway(outside));
  const { remote, clone } = clones({ "list.txt": "start\n", "plan.md": appendPlan(count, outside) });
  const [here, second, third] = [clone(), clone(), clone()];
  const run = here.begin(["run", "plan.md", "--teammates", String(count / 4)]);
  const rest = (count - count / 4) / 2;
  const workers = [second.begin(worker(Math.ceil(rest))), third.begin(worker(Math.floor(rest)))];
  const { code, stdout, stderr } = await run.over;
  expect(stdout + stderr).toContain(`${count} of ${count} tasks completed`);
  expect(code).toBe(0);
  for (const { child } of workers) child.kill("SIGTERM");
  await Promise.all(workers.map(({ over }) => over));
  const log = await here.begin(["log", "--json"]).over;
  const { landed, refused } = outcomeOf(log.stdout, count);
  // Each task that was refused earlier costs a later one at most one refusal.
  for (const [nth, task] of landed.entries()) expect(refused.get(task)).toBeLessThanOrEqual(Math.min(nth, 2));
  const list = remote.git("show", "main:list.txt").split(" ").slice(1).map(Number);
  expect(list).toEqual(landed);
});

it("refuses a host that lands elsewhere, or with another gate", async () => {
  const { clone } = clones({ "a.txt": "a\n" });
  const [here, there, without] = [clone(), clone(), clone()];
  const first = here.begin(worker(1), { EKIDEN_GATE: "true" });
  await here.begin(["add", "One", "-d", "```sh\ntrue\n```"]).over;
  await soon(async () => {
    const { stdout } = await here.begin(["team", "--json"]).over;
    expect(JSON.parse(stdout)).toMatchObject({ hosts: [{ capacity: 1 }] });
  });
  const refused = async (env: Readonly<Record<string, string>>, on = there): Promise<string> => {
    const { code, stderr } = await on.begin(worker(1), env).over;
    expect(code, stderr).toBe(5);
    return stderr;
  };
  expect(await refused({ EKIDEN_GATE: "false" })).toMatch(
    /has other landing settings: gate is "true" there and "false" here.*use the same settings here/s,
  );
  expect(await refused({})).toMatch(/gate is "true" there and not set here/);
  without.write({ ".ekiden/settings.json": "{}" });
  expect(await refused({ EKIDEN_GATE: "true" }, without)).toMatch(
    /remote is "origin" there and not set here/,
  );
  first.child.kill("SIGTERM");
  expect(await first.over).toMatchObject({ code: 0 });
  // It is gone, and this one lands as it wants.
  const next = there.begin(worker(1), { EKIDEN_GATE: "false" });
  await soon(async () => {
    const { stdout } = await here.begin(["team", "--json"]).over;
    expect(JSON.parse(stdout)).toMatchObject({ hosts: [{ capacity: 1 }] });
  });
  next.child.kill("SIGTERM");
  expect(await next.over).toMatchObject({ code: 0 });
});
