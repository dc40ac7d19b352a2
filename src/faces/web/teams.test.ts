import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { soon } from "../../../test/fixtures/soon.ts";
import { systemClock } from "../../adapters/clock.ts";
import { openStore } from "../../adapters/store/index.ts";
import { type Name, PERSON } from "../../core/ids.ts";
import { DEFAULT_SETTINGS } from "../../core/settings/settings.ts";
import { Teams } from "./teams.ts";
import type { Snapshot } from "./wire.ts";

const giveBack: (() => unknown)[] = [];
afterEach(async () => {
  for (const one of giveBack.splice(0).reverse()) await one();
});

it("tells the time at which it answers, however old the last fact is", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "ekiden-teams-"));
  giveBack.push(() => rmSync(cwd, { recursive: true, force: true }));
  const url = `sqlite:${join(cwd, "team.db")}`;
  const store = await openStore({ url, team: "default" as Name, clock: systemClock });
  giveBack.push(() => store.close());
  const teams = new Teams(store, { settings: DEFAULT_SETTINGS, cwd, version: "", redact: (text) => text });
  giveBack.push(() => teams.close());
  await store.board.add({ subject: "one" }, PERSON);
  const page = await teams.team("default");
  const state = async (): Promise<Snapshot> => JSON.parse(await page.state());
  const first = await state();
  await soon(async () => expect((await state()).now).toBeGreaterThan(first.now));
  expect({ ...(await state()), now: 0 }).toEqual({ ...first, now: 0 });
});
