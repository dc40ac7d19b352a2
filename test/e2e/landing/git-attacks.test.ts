/** Every attack of test/fixtures/git-attacks.ts on own git, landings and the person's git, by its effect: there is none. */
import { describe, expect, it } from "vitest";
import { bubblewrapOrSkip } from "../../fixtures/bubblewrap.ts";
import { FUZZ } from "../../fixtures/fuzz.ts";
import { GIT_ATTACKS } from "../../fixtures/git-attacks.ts";
import { giveBack, ground, runAs, users } from "../../fixtures/other-user.ts";

type Row = { readonly name: string; readonly effects: string[] };

async function attempt(uid: number): Promise<Row[]> {
  const place = ground(uid, true);
  try {
    // One way of each attack, and another one for a second user: three seeds in a row try all.
    const seed = FUZZ.seed + (uid === users.at(0)?.[1] ? 0 : 1);
    const args = [`${place.folder}/base`, `${place.folder}/state`, String(seed)];
    return JSON.parse(await runAs(place, "git-attack-owner", args)) as Row[];
  } finally {
    giveBack(place);
  }
}

bubblewrapOrSkip(describe)("attacks on git", () => {
  it.concurrent.each(users)("have no effect as %s", { timeout: 1_200_000 }, async (_, uid) => {
    const rows = await attempt(uid);
    expect(rows.length).toBeGreaterThanOrEqual(GIT_ATTACKS.length);
    expect(rows.filter(({ effects }) => effects.length > 0)).toEqual([]);
  });
});
