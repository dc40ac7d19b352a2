/** A run is killed while it begins: its goal is stored with its first fact, or `resume` says that there is none. */
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { LEAD, PERSON } from "../../../src/core/ids.ts";
import type { Cursor, Store } from "../../../src/ports/store.ts";
import { soon } from "../../fixtures/soon.ts";
import { Project } from "../cli-program.ts";

const PLAN = "# Plan\n\n## One\n```sh\ntrue\n```\n";
const MODEL = ["--model", "openai/none", "--base-url", "http://127.0.0.1:9/v1"];
const KEY = { OPENAI_API_KEY: "x" };

function project(files: Readonly<Record<string, string>>): Project {
  const place = new Project();
  onTestFinished(() => place.end());
  place.write(files);
  return place;
}

const begun = async ({ journal }: Store): Promise<number> =>
  (await journal.read("" as Cursor, { types: ["run.began"] })).events.length;

const SLOW = { hooks: { UserPromptSubmit: [{ command: "touch begun; [ -e go ] || sleep 60" }] } };

it.each([
  ["a goal", ["run", "Do it", ...MODEL]],
  ["a runbook", ["run", "plan.md"]],
])("says that %s was never stored, with a code, and what to do", async (_, words) => {
  const place = project({ "plan.md": PLAN, ".ekiden/settings.json": JSON.stringify(SLOW) });
  const run = place.start(words, KEY);
  await soon(() => expect(existsSync(join(place.dir, "begun"))).toBe(true));
  run.kill("SIGKILL");
  await once(run, "close");
  const resumed = await place.run(["resume"]);
  expect([resumed.code, resumed.stderr]).toEqual([
    2,
    expect.stringContaining("Begin again: ekiden run GOAL"),
  ]);
  expect(await begun(await place.store())).toBe(0);
  place.write({ go: "" });
  expect(await place.run(["run", "plan.md"])).toMatchObject({ code: 0 });
  expect(await place.run(["resume"])).toMatchObject({ code: 0 });
});

it("has the goal in the first moment in which its run is there", async () => {
  const place = project({});
  const store = await place.store();
  const run = place.start(["run", "Do it", ...MODEL], KEY);
  await soon(async () => expect(await begun(store)).toBe(1));
  run.kill("SIGKILL");
  await once(run, "close");
  expect((await store.mail.box(LEAD, 9, PERSON)).map(({ body }) => body)).toEqual([
    { kind: "note", text: "Do it" },
  ]);
});

it("has the tasks of a runbook, and its words for the lead, in that moment", async () => {
  const place = project({ "plan.md": PLAN });
  const store = await place.store();
  const run = place.start(["run", "plan.md"]);
  await soon(async () => expect(await begun(store)).toBe(1));
  run.kill("SIGKILL");
  await once(run, "close");
  expect(await store.board.tasks()).toHaveLength(1);
  expect(await store.mail.box(LEAD, 9, PERSON)).toHaveLength(1);
});
