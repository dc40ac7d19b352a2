/** Hooks for tasks of the person: they run for those alone, and their end is no warning. */
import { mkdtempSync } from "node:fs";
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

it("tells an objection to a task of the person, and nothing when it ends", async () => {
  const { store } = await here.crew([], { clock: systemClock });
  const cwd = mkdtempSync(join(tmpdir(), "ekiden-new-tasks-"));
  onTestFinished(() => takeAway(cwd));
  const shell = createShell({ outputDir: join(cwd, "output") });
  onTestFinished(() => shell.close());
  const hook = { command: "echo too vague >&2; exit 2", timeoutMs: 60_000 };
  const hooks = new Hooks({ hooks: { TaskCreated: [hook] } as never, shell, store, cwd });
  const end = new AbortController();
  const following = followNewTasks(hooks, store, host("here"), end.signal);
  await store.board.add({ subject: "by a member" }, LEAD);
  await store.board.add({ subject: "by the person" }, PERSON);
  const warnings = async () =>
    (await journalOf(store).events("warning.raised")).map((fact) => "text" in fact && fact.text);
  await soon(async () => expect(await warnings()).toHaveLength(1));
  end.abort(new Error("the process ends"));
  await following;
  expect(await warnings()).toEqual(["TaskCreated hooks: #2 of person is on the board, but: too vague"]);
});
