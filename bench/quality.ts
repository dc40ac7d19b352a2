/**
 * (q) What the checks of the harness are worth to a model with published habits: 100 small repositories that are broken on purpose, each
 * in a team of its own with a worktree and a landing, judged by the repository's own tests. With the checks, and without: the setting
 * `exitCheck` off, no `checks`, names of other harnesses unknown, whole files written over what somebody else changed meanwhile. The
 * last two have no setting: there, such a call is sent in a name that nobody knows, and such a write as a command that asks nothing.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { recruits } from "../src/core/board/recruit.ts";
import { DEFAULT_SETTINGS } from "../src/core/settings/settings.ts";
import { openHost } from "../src/host/host.ts";
import type { Model } from "../src/ports/index.ts";
import { figure, type Item } from "./measure.ts";
import { type Habits, SimulatedModel } from "./quality/habits.ts";
import { type Draw, makeRepository, passes } from "./quality/repositories.ts";
import { freshFolder } from "./stage.ts";

/**
 * The first three are the published ones. The others are free, and the gain depends on them: a model that repairs everything at once
 * needs no checks.
 */
const HABITS: Habits = {
  ...{ wrongName: 0.03, stale: 0.05, unverified: 0.15 },
  ...{ right: 0.5, malformed: 0.3, obeys: 0.9 },
};
const SEED = 1;
const AT_ONCE = 3;
const LIMIT_MS = 120_000;

type Outcome = { readonly landed: boolean; readonly claimed: boolean; readonly calls: number };

export const quality: Item = async (quick) => {
  const count = quick ? 20 : 100;
  const off = told(await all(count, HABITS, false));
  const on = told(await all(count, HABITS, true));
  const points = on.good - off.good;
  const name = "tasks landed with green tests";
  const note = `the floor is without the checks. ${on.words}. Without: ${off.words}`;
  return [
    figure({ item: "q", name, unit: "%", value: on.good, floor: off.good, note }),
    figure({
      ...{ item: "q", name: "points gained by the checks", unit: "points", value: points },
      budget: { of: "value", atLeast: 10 },
    }),
  ];
};

function told(outcomes: readonly Outcome[]): { readonly good: number; readonly words: string } {
  const share = (of: (one: Outcome) => boolean): number =>
    (100 * outcomes.filter(of).length) / outcomes.length;
  const red = share(({ landed, claimed }) => claimed && !landed);
  const left = share(({ claimed }) => !claimed);
  const calls = outcomes.reduce((sum, one) => sum + one.calls, 0) / outcomes.length;
  return {
    good: share(({ landed }) => landed),
    words: `landed red ${red.toFixed(0)} %, given up ${left.toFixed(0)} %, ${calls.toFixed(1)} calls a task`,
  };
}

async function all(count: number, habits: Habits, helped: boolean): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) {
      const nth = next;
      next += 1;
      outcomes[nth] = await one(nth, habits, helped);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return outcomes;
}

async function one(nth: number, habits: Habits, helped: boolean): Promise<Outcome> {
  const draw: Draw = (what) =>
    createHash("sha256").update(`${SEED} ${nth} ${what}`).digest().readUInt32BE(0) / 2 ** 32;
  const repository = makeRepository(join(freshFolder(), "repository"), nth, draw);
  const model = new SimulatedModel(habits, repository, draw);
  const host = await openHost({
    settings: {
      ...DEFAULT_SETTINGS,
      teammates: recruits(1),
      model: "simulated",
      permissionMode: "bypass",
      sandbox: "off",
      worktrees: true,
      exitCheck: helped,
      checks: helped ? { "*.mjs": "node --check lib.mjs" } : {},
    },
    cwd: repository.dir,
    env: { PATH: process.env.PATH, HOME: repository.dir, GIT_CONFIG_NOSYSTEM: "1" },
    interactive: false,
    trust: true,
    openModel: () => Promise.resolve(helped ? model : unhelped(model)),
  });
  const timer = setTimeout(() => void host.close(), LIMIT_MS);
  try {
    const description = "The functions in lib.mjs do not do what test.mjs asks. Repair them.";
    await host.start({
      runbook: { goal: "Repair it", tasks: [{ subject: "Repair the functions", description }] },
    });
    const { completed } = await host.done;
    return {
      claimed: completed === 1,
      landed: completed === 1 && passes(repository.dir),
      calls: model.calls,
    };
  } finally {
    clearTimeout(timer);
    await host.close();
  }
}

const OTHERS = new Set(["Shell", "Read", "Write", "Edit"]);

/** Its calls as they would work where names of other harnesses are unknown and whole files are written without a look. */
const unhelped = (model: Model): Model => ({
  spec: model.spec,
  window: model.window,
  reply: async (request, options) => {
    const reply = await model.reply(request, options);
    const content = reply.message.content.map((part) => {
      if (part.type !== "call") return part;
      if (OTHERS.has(part.tool)) return { ...part, tool: `${part.tool}Elsewhere` };
      if (part.tool !== "write_file") return part;
      const { content: text } = part.input as { readonly content: string };
      const command = `printf %s ${Buffer.from(text).toString("base64")} | base64 -d > lib.mjs`;
      return { ...part, tool: "bash", input: { command } };
    });
    return { ...reply, message: { ...reply.message, content } };
  },
});
