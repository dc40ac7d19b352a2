/** Teammates of two providers do tasks, and the account of one of them may do nothing more. Real HTTP. */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../../src/adapters/clock.ts";
import { openModel } from "../../../src/adapters/models/index.ts";
import { recruit } from "../../../src/core/board/recruit.ts";
import { PERSON } from "../../../src/core/ids.ts";
import type { Settings } from "../../../src/core/settings/settings.ts";
import { calls, type Failure, fails, says, startModelServer } from "../../fixtures/model-server/index.ts";
import { type ProgramTeam, programTeam } from "../../fixtures/program-team.ts";

const TASKS = 6;
const UNPAID: Failure = { status: 402, kind: "billing_error", message: "Your balance is used up." };

type Played = { readonly team: ProgramTeam; readonly asked: () => number };

/** ann asks the account with a limit, the others one without. */
async function teamOf(failure: Failure, who: string[], settings: Partial<Settings> = {}): Promise<Played> {
  const server = await startModelServer({
    responses: () => failure,
    anthropic: ({ system, messages }) =>
      /^You are "lead/m.test(system) || messages.at(-1)?.content.some(({ type }) => type === "result")
        ? says("Done.")
        : calls("complete_task", { result: "done" }),
  });
  onTestFinished(() => server.close());
  const folder = mkdtempSync(join(tmpdir(), "ekiden-limits-"));
  mkdirSync(join(folder, ".ekiden/agents"), { recursive: true });
  writeFileSync(join(folder, ".ekiden/agents/other.md"), "---\nmodel: openai/gpt-5.1\n---\nWork.");
  const team = await programTeam({
    folder,
    says: {},
    settings: {
      ...{ teammates: who.map(recruit), model: "anthropic/claude-haiku-4-5", sandbox: "off" },
      ...settings,
    },
    host: { openModel: (spec) => openModel(spec, { env: server.env, clock: systemClock }) },
  });
  for (let nth = 1; nth <= TASKS; nth += 1) await team.store.board.add({ subject: `Task ${nth}` }, PERSON);
  await team.host.start({ goal: "Do the tasks" });
  return { team, asked: () => server.requests.filter(({ protocol }) => protocol === "responses").length };
}

it.each([
  ["at a limit", fails.rateLimited(3_600), "at_limit", "model"],
  ["not paid", UNPAID, "cannot_work", "credit"],
])("an account that is %s gets one request, and others do its tasks", async (_, failure, reason, kind) => {
  const { team, asked } = await teamOf(failure, ["ann:other", "bob"]);
  const outcome = await team.host.done;
  expect(outcome).toMatchObject({ completed: TASKS, failed: 0, unfinished: 0 });
  expect(asked()).toBe(1);
  const counted = (await team.events("task.released")).filter(
    (one) => "why" in one && one.why === "given_back",
  );
  expect(counted).toEqual([]);
  expect(await team.events("login.window")).toMatchObject([{ kind, usedPercent: 100, source: "answer" }]);
  const phases = await team.events("teammate.phase");
  expect(phases).toContainEqual(expect.objectContaining({ who: "ann", reason }));
});

it("a fallback model does the tasks, and the account with the limit is asked once", async () => {
  const { team, asked } = await teamOf(fails.rateLimited(3_600), ["ann:other"], {
    fallbackModel: "anthropic/claude-haiku-4-5",
  });
  expect(await team.host.done).toMatchObject({ completed: TASKS, failed: 0, unfinished: 0 });
  expect(asked()).toBe(1);
});

it("a run in which nobody has a paid account ends after a while, with its tasks on the board", async () => {
  const { team, asked } = await teamOf(UNPAID, ["ann:other", "bob:other"], { providerTimeoutMs: 4_000 });
  const outcome = await team.host.done;
  expect(outcome).toMatchObject({ completed: 0, failed: 0, unfinished: TASKS, reason: "model" });
  expect(outcome.error?.message).toContain("Your balance is used up.");
  expect(asked()).toBeLessThanOrEqual(2);
});
