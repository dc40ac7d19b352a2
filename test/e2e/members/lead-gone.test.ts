/** The model of the lead is withdrawn while its teammates have work. */
import { expect, it } from "vitest";
import { type Step, scripted } from "../../../src/adapters/models/scripted.ts";
import { recruits } from "../../../src/core/board/recruit.ts";
import { EkidenError } from "../../../src/core/errors.ts";
import { PERSON } from "../../../src/core/ids.ts";
import type { Model } from "../../../src/ports/index.ts";
import { opening } from "../../fixtures/opening.ts";
import { programTeam } from "../../fixtures/program-team.ts";

const gone = (): never => {
  throw new EkidenError("model_refused", "x/y: the provider refused the request (404). No such model.", {
    details: { status: 404 },
  });
};
const done: Step = { calls: [{ tool: "complete_task", input: { result: "ok" } }] };

it.each([3, 0])("its teammates finish %i tasks, and the run ends with the lead's error", async (tasks) => {
  const mate = scripted(
    [...Array(4)].flatMap(() => [done, { text: "Done." }]),
    "alice",
  );
  const model: Model = {
    spec: "x/y",
    window: 1_000_000,
    reply: async (request, how) =>
      opening(request).includes('You are "lead"') ? gone() : mate.reply(request, how),
  };
  const team = await programTeam({
    says: {},
    settings: { teammates: recruits(1), sandbox: "off" },
    host: { openModel: () => Promise.resolve(model) },
  });
  for (let nth = 1; nth <= tasks; nth += 1) await team.store.board.add({ subject: `Task ${nth}` }, PERSON);
  await team.host.start({ goal: "Do the tasks" });
  const outcome = await team.host.done;
  expect(outcome).toMatchObject({ completed: tasks, unfinished: 0, reason: "model" });
  expect(outcome.error?.message).toContain("No such model");
  const warned = JSON.stringify(await team.events("warning.raised"));
  expect(warned.split("The others finish what they can.")).toHaveLength(tasks === 0 ? 1 : 2);
});
