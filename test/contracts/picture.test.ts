/** The picture that people see, folded from facts, beside the tables: after every step of random lives of a team, on every database. */
import { describe, expect, it } from "vitest";
import { isEkidenError } from "../../src/core/errors.ts";
import { LEAD, later, type Name, PERSON, type TaskId } from "../../src/core/ids.ts";
import type { Seat } from "../../src/core/member.ts";
import { rowOf } from "../../src/core/picture/member.ts";
import { Picture } from "../../src/core/picture/picture.ts";
import type { OpenQuestion } from "../../src/core/picture/questions.ts";
import { shownOf, type Task } from "../../src/core/picture/task.ts";
import type { Ask, Clock, Cursor, Store } from "../../src/ports/index.ts";
import { openQuestion } from "../../src/team/queries/requests.ts";
import { FUZZ, randomFrom } from "../fixtures/fuzz.ts";
import { BACKENDS, held, host, name, profile, stage } from "../fixtures/stage.ts";

/** 1,000 on SQLite by hand: EKIDEN_FUZZ_RUNS=1000 npx vitest run test/contracts/picture.test.ts */
const RUNS = { sqlite: Number(process.env.EKIDEN_FUZZ_RUNS ?? 40), postgres: 12 } as const;
const STEPS = 40;
const TASKS = 8;

type Random = (below: number) => number;
type Life = {
  readonly store: Store;
  readonly clock: Clock;
  readonly lead: Seat;
  readonly seats: Map<string, Seat>;
  random: Random;
};

const MATES = ["alice", "bob"] as const;
const seatOf = ({ seats, random }: Life): Seat | undefined => seats.get(MATES[random(2)] as string);
const taskOf = ({ random }: Life): TaskId => (random(TASKS) + 1) as TaskId;
const byWhom = ({ random }: Life): Name => (random(2) === 0 ? PERSON : LEAD);

const claims = async (life: Life): Promise<void> => {
  const seat = seatOf(life);
  if (seat) await life.store.board.claimNext(seat);
};

const ends = async (life: Life): Promise<void> => {
  const { store, random } = life;
  const seat = random(4) === 0 ? life.lead : seatOf(life);
  const task = seat && (await store.board.mine(seat.name));
  if (!seat || !task) return;
  const claim = held(seat, task);
  const landing = { branch: "b", target: "main", commit: `c${random(99)}` };
  const ends = [
    () => store.board.complete(claim, "done"),
    () => store.board.fail(claim, "cannot"),
    () => store.board.release(claim, "given_back", random(2) === 0 ? "tired" : undefined),
    () => store.board.refuse(claim, { why: "gate", evidence: "red", failure: "too often" }),
    () => store.board.landed(task.id, seat.name, landing),
  ];
  await ends[random(ends.length)]?.();
};

const asks = async (life: Life): Promise<void> => {
  const { store, random } = life;
  const seat = seatOf(life);
  if (!seat) return;
  const task = await store.board.mine(seat.name);
  const shapes: Ask[] = [
    { kind: "permission", tool: "bash", subject: `rm ${random(9)}` },
    { kind: "question", task: null, waits: true, question: `Which? ${random(9)}`, options: [] },
    { kind: "shutdown", reason: "enough" },
    ...(task ? [{ kind: "plan", task: task.id, attempt: task.attempt, plan: "First this" } as const] : []),
  ];
  const ask = shapes[random(shapes.length)] as Ask;
  const [by, of] =
    ask.kind === "shutdown"
      ? [LEAD, seat.name]
      : [seat.name, ask.kind === "question" ? PERSON : byWhom(life)];
  await store.requests.ask(by, of, ask, later(life.clock.now(), random(2) === 0 ? 20 : 3_600_000));
};

const answers = async ({ store, random }: Life): Promise<void> => {
  const open = await store.requests.open();
  const one = open[random(open.length || 1)];
  if (!one) return;
  const given = { yes: random(2) === 0, text: "because" };
  const how = random(8);
  if (how === 0) await store.requests.withdraw(one.id);
  else if (how === 1) await store.requests.expire("too late");
  else await store.requests.answer(random(5) === 0 ? PERSON : one.of, one.id, one.ask.kind, given);
};

/** What may happen to a team. A refusal is no fault: the tables and the picture must agree on it as well. */
const STEPS_OF: readonly ((life: Life) => Promise<unknown>)[] = [
  async (life) => {
    const { store, random } = life;
    const extra = [
      {},
      { description: "More", priority: random(3), estimate: 2 },
      { role: "painter", touches: ["src/**"], needsPlan: true },
      { assignee: name(MATES[random(2)] as string) },
    ][random(4)];
    const blockedBy = random(2) === 0 ? [] : [taskOf(life)];
    await store.board.addAll([{ subject: `Task ${random(99)}`, blockedBy, ...extra }], byWhom(life));
  },
  (life) =>
    life.store.board.change(
      taskOf(life),
      [
        { subject: `Other ${life.random(99)}`, description: "New words" },
        { priority: life.random(9), estimate: 3, needsPlan: true },
        { addBlockedBy: [taskOf(life)], role: "builder" },
        { removeBlockedBy: [taskOf(life)], role: "", touches: [] },
      ][life.random(4)] ?? {},
      byWhom(life),
    ),
  claims,
  claims,
  (life) => life.store.board.claim(life.lead, taskOf(life)),
  ends,
  ends,
  ends,
  (life) => life.store.board.retry(taskOf(life), byWhom(life)),
  (life) => life.store.board.cancel(taskOf(life), byWhom(life), "not wanted"),
  (life) => life.store.board.takeBack(taskOf(life), byWhom(life)),
  (life) =>
    life.store.board.assign(
      taskOf(life),
      life.random(3) === 0 ? null : name(MATES[life.random(2)] as string),
      LEAD,
    ),
  (life) => life.store.board.completeFor(taskOf(life), byWhom(life), "by hand"),
  (life) => life.store.board.failFor(taskOf(life), byWhom(life), "by hand"),
  (life) => life.store.board.claimFor(taskOf(life), PERSON),
  async (life) => {
    const seat = seatOf(life);
    const reason = life.random(2) === 0 ? "awaiting_tasks" : "rate_limited";
    if (seat)
      await life.store.roster.setActivity(
        seat,
        life.random(2) === 0 ? { phase: "work" } : { phase: "idle", reason },
      );
  },
  (life) => life.store.mail.send(PERSON, { to: LEAD, body: { kind: "note", text: "Hello" } }),
  (life) => life.store.mail.deliver(life.lead, () => []),
  async (life) => {
    const seat = seatOf(life);
    if (!seat) return;
    const spent = { inputTokens: life.random(900), cachedTokens: 3, outputTokens: 5, usd: 0.25 };
    const subagent = life.random(3) === 0 ? name(`${seat.name}/1`) : undefined;
    await life.store.transcript.record(seat, [], {
      spent: { turns: 1, ...spent },
      facts: [
        {
          ...{ type: "turn.taken", who: seat.name, model: "m", ...spent, ms: 1, text: "" },
          ...(subagent && { subagent }),
        },
      ],
    });
  },
  asks,
  asks,
  answers,
  async (life) => {
    const who = MATES[life.random(2)] as string;
    const seat = life.seats.get(who);
    if (seat) await life.store.roster.leave(seat, "asked", "bye");
    else life.seats.set(who, await life.store.roster.join(profile(who), host("here"), LEAD));
    if (seat) life.seats.delete(who);
  },
];

/** Among those that must have happened; few lives see all. */
const FACTS = [
  ...["task.cancelled", "task.reopened", "task.failed"],
  ...["permission.answered", "plan.answered", "question.answered", "shutdown.answered", "request.withdrawn"],
];
/** What facts say of a task. */
const ofFacts = ({ id, status, owner, attempt, createdAt, startedAt, endedAt }: Task) => ({
  ...{ id, status, owner, attempt, createdAt, startedAt, endedAt },
});
const byName = (a: { readonly name: Name }, b: { readonly name: Name }): number => (a.name < b.name ? -1 : 1);

describe.each(BACKENDS)("the picture on %s", (backend) => {
  const at = stage(backend);

  it("says at every fact what the tables say", { timeout: 600_000 }, async () => {
    const random = randomFrom(FUZZ.seed);
    const kinds = new Set<string>();
    for (let run = 0; run < RUNS[backend]; run += 1) {
      const { store, lead, seats } = await at.crew(MATES, { team: name(`${at.team}-${run}`) });
      const life = {
        store,
        clock: at.clock,
        lead,
        random,
        seats: new Map(seats.map((seat) => [seat.name, seat])),
      };
      const picture = new Picture();
      await store.board.addAll(
        [{ subject: "a" }, { subject: "b", blockedBy: [{ nth: 0 }] }, { subject: "c" }, { subject: "d" }],
        LEAD,
      );
      let cursor: Cursor = store.journal.from(0);
      for (let step = 0; step < STEPS; step += 1) {
        await at.clock.advance(7);
        await STEPS_OF[random(STEPS_OF.length)]?.(life).catch((error) => {
          if (!isEkidenError(error)) throw error;
        });
        const page = await store.journal.read(cursor);
        cursor = page.cursor;
        for (const event of page.events) {
          picture.apply(event);
          kinds.add(event.type);
        }
        const tasks = (await store.board.tasks()).map(shownOf).map(ofFacts);
        const journal = `run ${run}, step ${step}, after ${JSON.stringify(page.events)}`;
        expect([...picture.tasks.values()].map(ofFacts), journal).toEqual(tasks);
        const byId = (a: OpenQuestion, b: OpenQuestion): number => (a.id < b.id ? -1 : 1);
        const open = (await store.requests.open()).map(openQuestion).sort(byId);
        expect([...picture.questions.list].sort(byId), journal).toEqual(open);
        const members = (await store.roster.members()).map(rowOf).sort(byName);
        expect([...picture.members.values()].sort(byName), journal).toMatchObject(members);
      }
      await store.close();
    }
    expect([...kinds]).toEqual(expect.arrayContaining(backend === "sqlite" ? FACTS : FACTS.slice(0, 3)));
  });
});
