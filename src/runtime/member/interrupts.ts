/**
 * Stop requests and urgent mail for one member. Ask, then abort, then kill: the member answers a request, or it is accepted for an
 * idle member; a call that waits for an answer ends, so that it can; at the deadline the running step is aborted, together with the processes of its tools.
 */
import { setMaxListeners } from "node:events";
import type { Mail } from "../../core/board/mail.ts";
import type { Instant, RequestId } from "../../core/ids.ts";
import type { Agent } from "../agent/agent.ts";
import { Interruption } from "../agent/interruption.ts";

/** A mailbox gives stop requests first, then urgent mail; there are never many stop requests. */
const PEEKED = 10;

export class Interrupts {
  private readonly agent: Agent;
  private readonly outer: AbortSignal;
  private pending: { readonly request: RequestId; readonly deadline: Instant } | null = null;
  /** The stop request that a wait was cut for. */
  private cutFor: RequestId | null = null;
  private current = new AbortController();
  private readonly timer = new AbortController();
  private unwatch: () => void = () => {};
  private idleWait = false;

  constructor(agent: Agent, outer: AbortSignal) {
    this.agent = agent;
    this.outer = outer;
    // one listener for life: AbortSignal.any for each step would leave a listener on `outer` each time
    outer.addEventListener("abort", this.cutByOuter);
    agent.activity.onWait = () => this.cutWait();
  }

  private readonly cutByOuter = (): void => this.current.abort(this.outer.reason);

  /** A stop request is open. */
  get asked(): boolean {
    return this.pending !== null;
  }

  /** Starts to watch for mail that must not wait for the end of a step. */
  async watch(): Promise<void> {
    const { store, seat } = this.agent;
    this.unwatch = store.wake.watch(`mail:${seat.name}`, () => this.look());
    const [open] = await store.requests.open({ of: seat.name, kind: "shutdown" });
    if (open) this.note(open.id, open.deadline);
    await this.peek();
  }

  /** Looks once more: the wake-up may have come just before the step began, or the look that it caused may have failed. */
  look(): void {
    if (!this.idleWait) void this.peek().catch(() => {});
  }

  close(): void {
    this.unwatch();
    this.timer.abort();
    this.outer.removeEventListener("abort", this.cutByOuter);
  }

  /**
   * The signal of the step that begins now. `idleWait`: the step ends at any mail and its caller then reads the mailbox, so a look
   * from here would be a second one.
   */
  step(idleWait = false): AbortSignal {
    this.outer.throwIfAborted();
    this.idleWait = idleWait;
    this.current = new AbortController();
    setMaxListeners(0, this.current.signal); // one for each call that runs at once, and for all that it starts
    if (this.pending && this.pending.deadline <= this.agent.clock.now())
      this.current.abort(new Interruption("stop"));
    return this.current.signal;
  }

  endStep(): void {
    this.idleWait = false;
    this.current = new AbortController();
  }

  interrupt(kind: Interruption["kind"]): void {
    this.current.abort(new Interruption(kind));
  }

  /** Notes the stop requests among mail. A mail has the deadline by the asker's clock; the store gives it by the clock here. */
  async read(mail: readonly Mail[]): Promise<void> {
    for (const { body } of mail) {
      if (body.kind !== "shutdown_request") continue;
      const request = await this.agent.store.requests.request(body.request);
      if (request) this.note(request.id, request.deadline);
    }
  }

  /** After a turn: whether the member agreed to stop. A refusal ends the request; its reason went to the asker. */
  async accepted(): Promise<boolean> {
    if (!this.pending) return false;
    const request = await this.agent.store.requests.request(this.pending.request);
    if (request?.state === "answered" && request.answer?.yes) return true;
    // an expired request still ends the member, at its deadline
    if (request?.state !== "open" && request?.state !== "expired") this.pending = null;
    return false;
  }

  /** An idle member has no reason to refuse: it agrees without a model call. False when the request was withdrawn. */
  async acceptIdle(): Promise<boolean> {
    const { store, seat, clock } = this.agent;
    if (!this.pending) return false;
    const request = await store.requests.request(this.pending.request);
    if (request?.state === "answered" && request.answer?.yes) return true;
    if (request?.state === "open") {
      // After the deadline nobody may answer any more, and the member stops in any case.
      if (request.deadline <= clock.now()) return true;
      await store.requests.answer(seat.name, request.id, "shutdown", { yes: true, text: "idle" });
      return true;
    }
    this.pending = null;
    return false;
  }

  private note(request: RequestId, deadline: Instant): void {
    if (this.pending?.request === request) return;
    this.pending = { request, deadline };
    const { clock } = this.agent;
    const cut = async (): Promise<void> => {
      await clock.sleep(Math.max(0, deadline - clock.now()), this.timer.signal);
      if (!this.timer.signal.aborted && this.pending?.request === request)
        this.current.abort(new Interruption("stop"));
    };
    void cut();
  }

  /**
   * A member that waits for an answer could not answer a stop request: its question is taken back. Once for a request, so that a
   * model that asks again and again is not called again and again.
   */
  private cutWait(): void {
    if (!this.pending || this.pending.request === this.cutFor || !this.agent.activity.isWaiting) return;
    this.cutFor = this.pending.request;
    this.current.abort(new Interruption("urgent"));
  }

  /** Looks for mail that must not wait for the end of the step. */
  private async peek(): Promise<void> {
    const mail = await this.agent.store.mail.unread(this.agent.seat.name, PEEKED);
    await this.read(mail);
    this.cutWait();
    if (mail.some((letter) => letter.urgent)) this.current.abort(new Interruption("urgent"));
  }
}
