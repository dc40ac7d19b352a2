/** Messages say what happened: a claim that was lost by a stop. */
import { expect, it } from "vitest";
import { name, PERSON } from "../../../src/core/ids.ts";
import { stop } from "../../../src/team/actions/stop.ts";
import { call, quiet } from "../../fixtures/loops.ts";
import { programTeam } from "../../fixtures/program-team.ts";

it("a member that is stopped hears that it was, and not that its process was lost", async () => {
  const team = await programTeam({
    says: { lead: quiet, alice: [call("bash", { command: "sleep 600" }), ...quiet] },
    settings: { permissionMode: "bypass", sandbox: "off" },
    host: { interactive: true },
  });
  await team.store.board.add({ subject: "Wait" }, PERSON);
  await team.host.start({ goal: "Go" });
  await team.until("task.claimed", { by: "alice" });
  const told: string[] = [];
  const tell = (text: string): void => void told.push(text);
  const stopped = await stop(team.store, PERSON, name("alice"), { now: true, deadlineMs: 30_000, tell });
  expect(stopped).toEqual([{ name: "alice", stopped: true, how: "has stopped" }]);
  expect(told).toEqual(["alice: has stopped"]);
  const last = JSON.stringify((await team.store.transcript.current(name("alice"))).at(-1));
  expect(last).toContain("You no longer hold #1: you were stopped");
  expect(last).not.toContain("not heard of");
});
