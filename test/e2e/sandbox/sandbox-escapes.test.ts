/** Every way out of test/fixtures/escapes.ts, by its effect: none with the sandbox, and one without, or the row would prove nothing. */
import { describe, expect, it } from "vitest";
import { bubblewrapOrSkip } from "../../fixtures/bubblewrap.ts";
import { ESCAPES } from "../../fixtures/escapes.ts";
import { giveBack, ground, runAs, users } from "../../fixtures/other-user.ts";

type Row = { readonly name: string; readonly effects: string[]; readonly output: string };

async function attempt(uid: number, kind: "confined" | "plain"): Promise<Row[]> {
  const place = ground(uid, true);
  try {
    const args = [`${place.folder}/base`, `${place.folder}/state`, kind];
    return (JSON.parse(await runAs(place, "escape-owner", args)) as { results: Row[] }).results;
  } finally {
    giveBack(place);
  }
}
const withEffect = (rows: readonly Row[]): string[] =>
  rows.filter((row) => row.effects.length > 0).map(({ name }) => name);

bubblewrapOrSkip(describe)("ways out of the sandbox", () => {
  describe.concurrent.each(users)("as %s", (_, uid) => {
    it("have no effect", { timeout: 600_000 }, async () => {
      const rows = await attempt(uid, "confined");
      expect(rows).toHaveLength(ESCAPES.length);
      expect(rows.filter((row) => row.effects.length > 0)).toEqual([]);
    });

    it("are open without it", { timeout: 600_000 }, async () => {
      const tried = ESCAPES.filter(({ notPlain }) => notPlain === undefined).map(({ name }) => name);
      expect(withEffect(await attempt(uid, "plain"))).toEqual(tried);
    });
  });
});
