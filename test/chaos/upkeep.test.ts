/** Pruning and backups while processes work on the store: the checker finds nothing missing, in the store or in a copy. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { ManualClock, systemClock } from "../../src/adapters/clock.ts";
import { backupSqlite } from "../../src/adapters/store/versions/backup.ts";
import { later, PERSON } from "../../src/core/ids.ts";
import { endAll, start } from "../fixtures/children.ts";
import { BACKENDS, stage } from "../fixtures/stage.ts";
import { takeAway } from "../fixtures/take-away.ts";
import { allCompleted, replay, tablesAgree } from "./checker/claims.ts";
import type { History } from "./checker/history.ts";
import { readTables } from "./checker/read.ts";

const TASKS = 600;
const OLD_FACTS = 12_000;

describe.each(BACKENDS)("upkeep on %s", (backend) => {
  const at = stage(backend);
  afterEach(endAll);

  const history = async (url: string): Promise<History> => ({
    ...(await readTables(url, at.team)),
    requests: [],
    effects: [],
    landings: null,
    wanted: TASKS,
    splits: [],
  });

  it("loses nothing of a team at work", async () => {
    const past = new ManualClock();
    const old = await at.open({ clock: past });
    for (let i = 0; i < OLD_FACTS; i += 1_000)
      await old.journal.note(
        Array.from({ length: 1_000 }, () => ({ type: "warning.raised", who: null, text: "old" }) as const),
      );
    const store = await at.open({ clock: systemClock });
    await store.board.addAll(
      Array.from({ length: TASKS }, (_, i) => ({
        subject: `${i}`,
        blockedBy: i % 3 ? [{ nth: i - 1 }] : [],
      })),
      PERSON,
    );
    const folder = mkdtempSync(join(tmpdir(), "ekiden-upkeep-"));
    try {
      const crew = ["a", "b", "c"].map((me) => start({ url: at.url, team: at.team, job: "drain", me }));
      await Promise.all(crew.map((child) => child.next()));
      for (const child of crew) child.go();
      let working = true;
      const over = Promise.all(crew.map((child) => child.ended())).then(() => {
        working = false;
      });
      const copies: string[] = [];
      const copy = async (): Promise<void> => {
        if (backend !== "sqlite") return;
        const file = join(folder, `${copies.length}.db`);
        await backupSqlite(at.url.replace("sqlite:", ""), file, false);
        copies.push(`sqlite:${file}`);
      };
      await copy();
      const pruned = await store.prune(later(past.now(), 1), PERSON);
      do await copy();
      while (working && copies.length < 5);
      await over;

      expect(pruned.facts).toBeGreaterThanOrEqual(OLD_FACTS);
      const end = await history(at.url);
      expect([...replay(end).faults, ...tablesAgree(end), ...allCompleted(end)]).toEqual([]);
      expect(end.events.filter(({ data }) => data.includes('"old"'))).toEqual([]);
      for (const one of copies) {
        const copied = await history(one);
        expect([...replay(copied).faults, ...tablesAgree(copied)]).toEqual([]);
      }
    } finally {
      takeAway(folder);
    }
  }, 120_000);
});
