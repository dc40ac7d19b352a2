/** Every attack of test/fixtures/git-attacks.ts on own git, landings and the person's git, by its effect: there is none. In each run one of the users tries it. */
import { describe, expect, it } from "vitest";
import { bubblewrapOrSkip } from "../../fixtures/bubblewrap.ts";
import { sampled, TURN } from "../../fixtures/fuzz.ts";
import { GIT_ATTACKS } from "../../fixtures/git-attacks.ts";
import { giveBack, ground, runAs, users } from "../../fixtures/other-user.ts";

type Row = { readonly name: string; readonly effects: string[] };

async function attempt(uid: number, names: readonly string[]): Promise<Row[]> {
  const place = ground(uid, true);
  try {
    // One way of each attack, each time another one.
    const seed = String(Math.floor(TURN / users.length));
    const args = [`${place.folder}/base`, `${place.folder}/state`, seed, JSON.stringify(names)];
    return JSON.parse(await runAs(place, "git-attack-owner", args)) as Row[];
  } finally {
    giveBack(place);
  }
}

bubblewrapOrSkip(describe)("attacks on git", () => {
  it.concurrent.each(users)("have no effect as %s", { timeout: 1_200_000 }, async (_, uid) => {
    const nth = users.findIndex(([, one]) => one === uid);
    const names = sampled(GIT_ATTACKS, users.length, nth).map(({ name }) => name);
    const rows = await attempt(uid, names);
    expect(rows).toHaveLength(names.length);
    expect(rows.filter(({ effects }) => effects.length > 0)).toEqual([]);
  });
});
