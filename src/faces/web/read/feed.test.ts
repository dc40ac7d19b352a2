import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { soon } from "../../../../test/fixtures/soon.ts";
import { host, name, profile } from "../../../../test/fixtures/stage.ts";
import { systemClock } from "../../../adapters/clock.ts";
import { openStore } from "../../../adapters/store/index.ts";
import { DEFAULT_TEAM, PERSON } from "../../../core/ids.ts";
import type { MemberRow } from "../../../core/picture/member.ts";
import type { Cursor } from "../../../ports/index.ts";
import { memberRows } from "../../../team/queries/picture.ts";
import { Feed } from "./feed.ts";

it("tells of members as they are after the facts that pages already have", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ekiden-feed-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const url = `sqlite:${join(folder, "team.db")}`;
  const store = await openStore({ url, team: DEFAULT_TEAM, clock: systemClock });
  onTestFinished(() => store.close());
  await store.roster.open(host("near"), "near", 600_000);
  const alice = await store.roster.join(profile("alice"), host("near"), PERSON);
  const told: string[] = [];
  const has = (text: string): void => expect(told.some((one) => one.includes(text))).toBe(true);
  let reads = 0;
  const feed = new Feed(store, systemClock, {
    output: () => Promise.resolve([]),
    hosts: () => Promise.resolve(crypto.randomUUID()), // another process at each look
    members: async () => {
      const rows = await memberRows(store);
      reads += 1;
      if (reads > 1) return rows;
      // While the rows are on their way, alice stops, and pages hear of it.
      await store.roster.leave(alice, "asked", "");
      await soon(() => has('"phase":"shutdown"'));
      return rows;
    },
  });
  await feed.join({ send: (message) => told.push(message.toString()) > 0, end: () => {} }, "" as Cursor);
  onTestFinished(() => feed.close());
  await soon(() => has("event: members"));
  const last = told.findLast((one) => one.startsWith("event: members")) ?? "";
  const rows = JSON.parse(/data: (.*)/.exec(last)?.[1] ?? "[]") as MemberRow[];
  expect(rows).toMatchObject([{ name: name("alice"), phase: "shutdown" }]);
});
