/**
 * Every way out of test/fixtures/escapes.ts, by its effect: none with the sandbox, and one without, or the row would prove nothing. In each run
 * one of the users tries it, the other one the next day.
 */
import { describe, expect, it } from "vitest";
import { bubblewrapOrSkip } from "../../fixtures/bubblewrap.ts";
import { ESCAPES, type Escape } from "../../fixtures/escapes.ts";
import { sampled } from "../../fixtures/fuzz.ts";
import { giveBack, ground, runAs, users } from "../../fixtures/other-user.ts";

type Row = { readonly name: string; readonly effects: string[]; readonly output: string };

async function attempt(uid: number, kind: "confined" | "plain", ways: readonly Escape[]): Promise<Row[]> {
  const place = ground(uid, true);
  try {
    const names = JSON.stringify(ways.map(({ name }) => name));
    const args = [`${place.folder}/base`, `${place.folder}/state`, kind, names];
    return (JSON.parse(await runAs(place, "escape-owner", args)) as { results: Row[] }).results;
  } finally {
    giveBack(place);
  }
}
const withEffect = (rows: readonly Row[]): string[] =>
  rows.filter((row) => row.effects.length > 0).map(({ name }) => name);

bubblewrapOrSkip(describe)("ways out of the sandbox", () => {
  describe.concurrent.each(users)("as %s", (_, uid) => {
    const nth = users.findIndex(([, one]) => one === uid);
    it("have no effect", { timeout: 600_000 }, async () => {
      const ways = sampled(ESCAPES, users.length, nth);
      const rows = await attempt(uid, "confined", ways);
      expect(rows).toHaveLength(ways.length);
      expect(rows.filter((row) => row.effects.length > 0)).toEqual([]);
    });

    it("are open without it", { timeout: 600_000 }, async () => {
      const tried = sampled(
        ESCAPES.filter(({ notPlain }) => notPlain === undefined),
        4,
        2 * nth,
      );
      expect(withEffect(await attempt(uid, "plain", tried))).toEqual(tried.map(({ name }) => name));
    });
  });
});
