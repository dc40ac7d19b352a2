/**
 * (q) What the harness is worth to a model with published habits: small repositories that are broken on purpose, in two parts, each part a
 * task of its own for another member, with a worktree and a landing, judged by the repository's own tests. Three ways, in one run: bare
 * (the setting `exitCheck` off, no `checks`, names of other harnesses unknown, whole files written over what somebody else changed
 * meanwhile: there, such a call is sent in a name that nobody knows, and such a write as a command that asks nothing); checked, as it was
 * before tasks had checks and the team notes; and with both.
 */
import { createHash } from "node:crypto";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { localReply } from "../src/adapters/models/local.ts";
import { readerOf } from "../src/core/conversation/prompt.ts";
import type { Name } from "../src/core/ids.ts";
import { DEFAULT_SETTINGS } from "../src/core/settings/settings.ts";
import { openHost } from "../src/host/host.ts";
import type { Model } from "../src/ports/index.ts";
import { figure, type Item } from "./measure.ts";
import { type Habits, SimulatedModel } from "./quality/habits.ts";
import {
  type Draw,
  makeRepository,
  PARTS,
  type Part,
  passes,
  type Repository,
} from "./quality/repositories.ts";
import { freshFolder } from "./stage.ts";

/**
 * The first three are the published ones, and `unaware`: 15 of 31 problems that a team solves stay solved without its shared notes
 * (arXiv 2601.13295). The others are free, and the gain depends on them: a model that repairs everything at once needs no checks.
 */
const HABITS: Habits = {
  ...{ wrongName: 0.03, stale: 0.05, unverified: 0.15, unaware: 15 / 31 },
  ...{ right: 0.5, malformed: 0.3, obeys: 0.9, overclaims: 0.3, notes: 0.8 },
};
const SEED = 1;
/** Each is repaired in all three ways at once. */
const REPOSITORIES = 20;
const QUICK_REPOSITORIES = 6;
const AT_ONCE = 2;
/** A run that takes longer is a fault of the bench, not an outcome. */
const LIMIT_MS = 240_000;

const WAYS = ["bare", "checked", "noted"] as const;
type Way = (typeof WAYS)[number];
type Outcome = { readonly landed: boolean; readonly claimed: boolean; readonly calls: number };

export const quality: Item = async (quick) => {
  const outcomes = await all(quick ? QUICK_REPOSITORIES : REPOSITORIES);
  const [bare, checked, noted] = [told(outcomes.bare), told(outcomes.checked), told(outcomes.noted)];
  const name = "tasks landed with green tests";
  const note = `the floor is bare: ${bare.words}. Checked: ${checked.good.toFixed(1)} %, ${checked.words}. With all: ${noted.words}`;
  const gained = (what: string, value: number, atLeast?: number, about?: string) =>
    figure({
      ...{ item: "q", name: `points gained by ${what}`, unit: "points", value },
      ...(atLeast !== undefined && { budget: { of: "value" as const, atLeast } }),
      ...(about !== undefined && { note: about }),
    });
  return [
    figure({ item: "q", name, unit: "%", value: noted.good, floor: bare.good, note }),
    gained("the checks of the harness", checked.good - bare.good, 10),
    gained("these, with checks and notes of tasks", noted.good - bare.good, 5),
    gained(
      "checks and notes of tasks alone",
      noted.good - checked.good,
      undefined,
      `at most ${(100 - checked.good).toFixed(1)} were left to gain`,
    ),
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

async function all(count: number): Promise<Record<Way, Outcome[]>> {
  const outcomes: Record<Way, Outcome[]> = { bare: [], checked: [], noted: [] };
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) {
      const nth = next;
      next += 1;
      const draw: Draw = (what) =>
        createHash("sha256").update(`${SEED} ${nth} ${what}`).digest().readUInt32BE(0) / 2 ** 32;
      const folder = freshFolder();
      const repository = await makeRepository(join(folder, "repository"), nth, draw);
      await Promise.all(
        WAYS.map(async (way) => {
          const dir = join(folder, way);
          await cp(repository.dir, dir, { recursive: true });
          outcomes[way].push(...(await one({ ...repository, dir }, way, draw)));
        }),
      );
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return outcomes;
}

const OWNERS = { a: "alice", b: "bob" } as const satisfies Record<Part, string>;

async function one(repository: Repository, way: Way, draw: Draw): Promise<Outcome[]> {
  const models = new Map(
    PARTS.map((part) => [OWNERS[part], new SimulatedModel(HABITS, repository, part, draw, way === "noted")]),
  );
  const team = teamOf(models);
  const host = await openHost({
    settings: {
      ...DEFAULT_SETTINGS,
      teammates: PARTS.map((part) => ({ name: OWNERS[part] as Name, role: part })),
      model: "simulated",
      permissionMode: "bypass",
      sandbox: "off",
      worktrees: true,
      exitCheck: way !== "bare",
      checks:
        way === "bare" ? {} : { "a/*.mjs": "node --check a/lib.mjs", "b/*.mjs": "node --check b/lib.mjs" },
    },
    cwd: repository.dir,
    env: { PATH: process.env.PATH, HOME: repository.dir, GIT_CONFIG_NOSYSTEM: "1" },
    interactive: false,
    trust: true,
    openModel: () => Promise.resolve(way === "bare" ? unhelped(team) : team),
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    void host.close();
  }, LIMIT_MS);
  try {
    const tasks = PARTS.map((part, i) => ({
      subject: `Repair the functions of ${part}`,
      description: [
        `The functions in ${part}/lib.mjs do not do what ${part}/test.mjs asks. Repair them.`,
        ...(way === "noted" ? [`Check: \`cd ${part} && node test.mjs\``] : []),
      ].join("\n\n"),
      role: part,
      ...(i > 0 && { blockedBy: [{ nth: i - 1 }] }),
    }));
    await host.start({ runbook: { goal: "Repair it", tasks } });
    await host.done;
    if (isLate) throw new Error(`${repository.dir} was not done after ${LIMIT_MS} ms`);
    return await Promise.all(
      (await host.store.board.tasks()).map(async ({ status }, i) => {
        const part = PARTS[i] as Part;
        const claimed = status === "completed";
        return {
          claimed,
          landed: claimed && (await passes(repository.dir, part)),
          calls: models.get(OWNERS[part])?.calls ?? 0,
        };
      }),
    );
  } finally {
    clearTimeout(timer);
    await host.close();
  }
}

/** One model for the team: each member has its own, and the lead says nothing. */
const teamOf = (models: ReadonlyMap<string, SimulatedModel>): Model => ({
  spec: "simulated",
  window: 1_000_000,
  reply: async (request, options) => {
    const who = /^You are "(\w+)"/m.exec(readerOf(request.messages))?.[1] ?? "";
    const own = models.get(who);
    return own ? await own.reply(request, options) : localReply([{ type: "text", text: "Done." }], options);
  },
});

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
      const { path } = part.input as { readonly path: string };
      const command = `printf %s ${Buffer.from(text).toString("base64")} | base64 -d > ${path}`;
      return { ...part, tool: "bash", input: { command } };
    });
    return { ...reply, message: { ...reply.message, content } };
  },
});
