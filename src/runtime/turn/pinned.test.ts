/** What a summary keeps word for word. */
import { expect, it } from "vitest";
import { agentOf, modelOf } from "../../../test/fixtures/member.ts";
import { name, stage } from "../../../test/fixtures/stage.ts";
import type { Seat } from "../../core/board/member.ts";
import { LEAD } from "../../core/ids.ts";
import { pinned } from "./pinned.ts";

const here = stage("sqlite");

it("names unread mail only where there is some", async () => {
  const { store, seats } = await here.crew(["alice"]);
  const agent = agentOf(
    store,
    seats[0] as Seat,
    here.clock,
    modelOf(() => ({})),
  );
  expect((await pinned(agent, 1_000)).join("")).toBe("");
  await store.mail.send(LEAD, { to: name("alice"), body: { kind: "note", text: "hurry" } });
  expect((await pinned(agent, 1_000)).join("")).toContain("Unread mail: 1");
});
