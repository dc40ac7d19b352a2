/** Hooks for tasks of the person: they run for those alone, and their end is no warning. */
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { journalOf } from "../../../test/fixtures/journal.ts";
import { soon } from "../../../test/fixtures/soon.ts";
import { host, stage } from "../../../test/fixtures/stage.ts";
import { takeAway } from "../../../test/fixtures/take-away.ts";
import { systemClock } from "../../adapters/clock.ts";
import { createShell } from "../../adapters/shell/index.ts";
import { LEAD, PERSON } from "../../core/ids.ts";
import { Hooks } from "../hooks/hooks.ts";
import { followNewTasks } from "./new-tasks.ts";

const here = stage("sqlite");

/** Follows the journal with one hook. */
async function followed(command: string) {
  const { store } = await here.crew([], { clock: systemClock });
  const cwd = mkdtempSync(join(tmpdir(), "ekiden-new-tasks-"));
  onTestFinished(() => takeAway(cwd));
  const shell = createShell({ outputDir: join(cwd, "output") });
  onTestFinished(() => shell.close());
  const hook = { command, timeoutMs: 60_000 };
  const hooks = new Hooks({ hooks: { TaskCreated: [hook] } as never, shell, store, cwd });
  const end = new AbortController();
  const following = followNewTasks(hooks, store, host("here"), end.signal);
  const warnings = async () =>
    (await journalOf(store).events("warning.raised")).map((fact) => "text" in fact && fact.text);
  const ends = async (): Promise<unknown> => {
    end.abort(new Error("the process ends"));
    await following;
    return await warnings();
  };
  return { store, cwd, warnings, ends };
}

it("tells an objection to a task of the person", async () => {
  const { store, warnings, ends } = await followed("echo too vague >&2; exit 2");
  await store.board.add({ subject: "by a member" }, LEAD);
  await store.board.add({ subject: "by the person" }, PERSON);
  await soon(async () => expect(await warnings()).toHaveLength(1));
  expect(await ends()).toEqual(["TaskCreated hooks: #2 of person is on the board, but: too vague"]);
});

it("has no warning about a hook that its process ends", async () => {
  const { store, cwd, ends } = await followed("echo > begun; sleep 60");
  await store.board.add({ subject: "by the person" }, PERSON);
  await soon(() => expect(existsSync(join(cwd, "begun"))).toBe(true));
  expect(await ends()).toEqual([]);
});
