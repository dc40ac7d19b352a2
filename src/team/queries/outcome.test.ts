import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { repository } from "../../../test/fixtures/repository.ts";
import { ManualClock } from "../../adapters/clock.ts";
import { openStore } from "../../adapters/store/index.ts";
import { DEFAULT_TEAM, type HostId, LEAD, PERSON } from "../../core/ids.ts";
import { OutcomeReader } from "./outcome.ts";

it("counts no time after the last sign of a run that never told its end", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ekiden-outcome-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const clock = new ManualClock(1_000);
  const url = `sqlite:${join(folder, "team.db")}`;
  const store = await openStore({ url, team: DEFAULT_TEAM, clock });
  onTestFinished(() => store.close());
  await store.board.add({ subject: "Paint" }, PERSON);
  const used = { inputTokens: 1, cachedTokens: 0, outputTokens: 1, usd: 0.25, ms: 1 };
  await clock.advance(5_000);
  await store.journal.note([{ type: "turn.taken", who: LEAD, model: "m", text: "", ...used }]);
  await clock.advance(60_000);
  await store.board.add({ subject: "By a person, later" }, PERSON);
  const reader = new OutcomeReader(store, folder);
  const { began, ended, worked } = await reader.read(false);
  expect({ began, ended, worked }).toEqual({ began: 1_000, ended: null, worked: 6_000 });
  // The cost of the last run is not that of all.
  await store.journal.note([{ type: "team.resumed", host: "h1" as HostId }]);
  await store.journal.note([{ type: "turn.taken", who: LEAD, model: "m", text: "", ...used }]);
  expect([(await reader.read(false)).usd, (await reader.read(true)).usd]).toEqual([0.25, 0.5]);
});

it("knows of each line of a file that several tasks changed who wrote it", async () => {
  const repo = repository({ "lib/a.txt": "one\ntwo\nthree\n", "b.txt": "b\n" });
  const url = `sqlite:${join(repo.dir, "team.db")}`;
  const store = await openStore({ url, team: DEFAULT_TEAM, clock: new ManualClock(1_000) });
  onTestFinished(() => store.close());
  for (const [task, text] of [
    [1, "eins\ntwo\nthree\n"],
    [2, "eins\ntwo\ndrei\n"],
  ] as const) {
    repo.write({ "lib/a.txt": text });
    repo.commit(`Task ${task}`);
    const { id } = await store.board.add({ subject: `${task}` }, PERSON);
    const where = { branch: "b", target: "main", commit: repo.git("rev-parse", "HEAD") };
    await store.journal.note([{ type: "task.landed", task: id, by: LEAD, ...where }]);
  }
  const paths = ["lib/a.txt", "b.txt", "none.txt"];
  const writerOf = await new OutcomeReader(store, repo.dir).writersOf(paths);
  expect([1, 2, 3].map((line) => writerOf("lib/a.txt", line))).toEqual([1, 2, 2]);
  expect(writerOf("b.txt", 1)).toBe(null);
  // Of a folder below the top, too.
  const below = await new OutcomeReader(store, join(repo.dir, "lib")).writersOf(paths);
  expect([1, 3].map((line) => below("lib/a.txt", line))).toEqual([1, 2]);
});
