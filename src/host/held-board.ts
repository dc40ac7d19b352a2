/** Keeps a board that the person is to approve from beginning, in this process: see core/plan/hold.ts. */
import { isFinished } from "../core/board/task.ts";
import type { Fact } from "../core/event.ts";
import { LEAD, later, type Name, PERSON, type RequestId } from "../core/ids.ts";
import { boardQuestion, HOLD_FACTS, Hold, LARGE } from "../core/plan/hold.ts";
import type { Clock, Cursor, Store } from "../ports/index.ts";
import type { BoardHold } from "../runtime/agent/agent.ts";
import type { HostOptions } from "./team-host.ts";

/** The person decides when; then the lead is woken, and asks again. */
const WAITS_MS = 30 * 86_400_000;

/** So long a lead may plan while teammates that have tasks wait. */
const PATIENCE_MS = 60_000;
const WORDS_READ = 50;

export class HeldBoard implements BoardHold {
  private readonly store: Store;
  private readonly clock: Clock;
  private readonly hold = new Hold();
  private cursor: Cursor;
  /** Whether the boards of goals that the person types are held, too. */
  private readonly again: HostOptions["planFirst"];
  /** The lead answers words of the person, and may plan nothing. */
  private isTalk = false;

  constructor(store: Store, clock: Clock, again: HostOptions["planFirst"]) {
    this.store = store;
    this.clock = clock;
    this.again = again;
    this.cursor = store.journal.from(0);
  }

  /** The fact that holds the board of a run. `large`: only a board with more than a few tasks is shown to the person. */
  async begin(large: boolean): Promise<readonly Fact[]> {
    const old = await this.asked();
    if (old) await this.store.requests.withdraw(old);
    return [{ type: "board.held", by: PERSON, large }];
  }

  /** The person does not want to see the board that an earlier run has planned. */
  async end(): Promise<void> {
    if ((await this.readOn()).is !== "held") return;
    const old = await this.asked();
    if (old) await this.store.requests.withdraw(old);
    await this.release(PERSON, "approved");
  }

  /** The open question about the board: the process may have ended before it noted it. */
  private async asked(): Promise<RequestId | undefined> {
    const { boardQuestionOf } = await import("../team/plan/planned.ts");
    return (await boardQuestionOf(this.store)) ?? undefined;
  }

  private async readOn(): Promise<Hold> {
    for await (const { events, cursor } of this.store.journal.pages(this.cursor, HOLD_FACTS)) {
      this.hold.take(events);
      this.cursor = cursor;
    }
    return this.hold;
  }

  async isHeld(): Promise<boolean> {
    const hold = await this.readOn();
    if (hold.is !== "held" || !hold.large || hold.isAsked) return hold.is === "held";
    // A lead that works on after it has planned a few tasks does not keep others from them.
    const open = (await this.store.board.tasks()).filter((task) => !isFinished(task));
    const [first] = open;
    if (!first || open.length > LARGE) return true;
    const isOfPerson = open.every(({ createdBy }) => createdBy === PERSON);
    if (!isOfPerson && this.clock.now() - first.createdAt < PATIENCE_MS) return true;
    await this.release(LEAD, "small");
    return false;
  }

  async settle(): Promise<void> {
    const hold = await this.readOn();
    if (hold.is === "approved") await this.release(LEAD, "approved");
    else if (hold.is === "free" && this.again) await this.holdNext(this.again === "large");
  }

  /** What the person says to a team without work may be a goal. */
  private async holdNext(large: boolean): Promise<void> {
    const { mail, board, journal } = this.store;
    const news = await mail.waking(LEAD, WORDS_READ);
    if (!news.some(({ from }) => from === PERSON)) return;
    const { pending, inProgress } = await board.counts();
    if (pending + inProgress > 0) return;
    this.isTalk = true;
    await journal.note([{ type: "board.held", by: PERSON, large }]);
  }

  async ask(): Promise<boolean> {
    const hold = await this.readOn();
    if (hold.is !== "held") return false;
    const { store, clock } = this;
    const tasks = await store.board.tasks();
    const open = tasks.filter((task) => !isFinished(task));
    if (open.length <= (hold.large ? LARGE : 0)) {
      // A lead that asks something first, or does the goal itself, has planned nothing yet.
      if (open.length > 0 || this.isTalk) await this.release(LEAD, "small");
      return false;
    }
    if (hold.isAsked) return true;
    const [{ remarksOn }, { boardData }, { planOf }] = await Promise.all([
      import("../core/plan/remarks.ts"),
      import("../core/views/board.ts"),
      import("../team/queries/board.ts"),
    ]);
    const members = await store.roster.members();
    const crew = members.filter(({ name, activity }) => name !== LEAD && activity.phase !== "shutdown");
    const plan = await planOf(store, boardData(store.team, tasks, clock.now()).tasks);
    const asked = boardQuestion(open, plan, remarksOn(tasks, crew));
    const ask = { kind: "question", ...asked, task: null, waits: true } as const;
    const id =
      (await this.asked()) ?? (await store.requests.ask(LEAD, PERSON, ask, later(clock.now(), WAITS_MS))).id;
    await store.journal.note([{ type: "board.shown", by: LEAD, request: id }]);
    return true;
  }

  private async release(by: Name, why: "approved" | "small"): Promise<void> {
    this.isTalk = false;
    await this.store.journal.note([{ type: "board.released", by, why }]);
  }
}
