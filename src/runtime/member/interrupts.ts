/**
 * Stop requests and urgent mail, as one member sees them. Ask, then abort, then kill: a request is answered by the member (or
 * accepted for it when it idles); at the deadline the running step is aborted, and with it the processes of its tools.
 */
import { setMaxListeners } from "node:events";
import type { Instant, RequestId } from "../../core/ids.ts";
import type { Mail } from "../../core/mail.ts";
import type { Agent, TurnOutcome } from "../agent/agent.ts";
import { Interruption, interruptionOf } from "../agent/interruption.ts";

/** Stop requests, then urgent mail, are first in a mailbox; there are never many stop requests. */
const PEEKED = 10;

export class Interrupts {
  private readonly agent: Agent;
  private readonly outer: AbortSignal;
  private pending: { readonly request: RequestId; readonly deadline: Instant } | null = null;
  private current = new AbortController();
  private readonly timer = new AbortController();
  private unwatch: () => void = () => {};

  constructor(agent: Agent, outer: AbortSignal) {
    this.agent = agent;
    this.outer = outer;
    // one listener for life instead of AbortSignal.any per step, which would leave something behind on `outer` each time
    outer.addEventListener("abort", this.cutByOuter, { once: true });
  }

  private readonly cutByOuter = (): void => this.current.abort(this.outer.reason);

  /** A stop request waits for an answer. */
  get asked(): boolean {
    return this.pending !== null;
  }

  /** Begins to listen for mail that may not wait for the end of a step. */
  async watch(): Promise<void> {
    const { store, seat } = this.agent;
    this.unwatch = store.wake.watch(`mail:${seat.name}`, () => void this.peek().catch(() => {}));
    const [open] = await store.requests.open({ of: seat.name, kind: "shutdown" });
    if (open) this.note(open.id, open.deadline);
    await this.peek();
  }

  close(): void {
    this.unwatch();
    this.timer.abort();
    this.outer.removeEventListener("abort", this.cutByOuter);
  }

  /** The signal of the step that begins now. */
  step(): AbortSignal {
    this.outer.throwIfAborted();
    this.current = new AbortController();
    setMaxListeners(0, this.current.signal); // as many as calls of a reply run at once, and all they start
    if (this.pending && this.pending.deadline <= this.agent.clock.now())
      this.current.abort(new Interruption("stop"));
    return this.current.signal;
  }

  endStep(): void {
    this.current = new AbortController();
  }

  interrupt(kind: Interruption["kind"]): void {
    this.current.abort(new Interruption(kind));
  }

  /** Takes notice of the stop requests among delivered mail. */
  async read(mail: readonly Mail[]): Promise<void> {
    for (const { body } of mail) if (body.kind === "shutdown_request") this.note(body.request, body.deadline);
  }

  /** After a turn: did the member agree to stop? A refusal is forgotten here, its reason went to the asker. */
  async accepted({ calls }: TurnOutcome): Promise<boolean> {
    if (!this.pending || !calls.some((call) => call.tool === "respond_shutdown")) return false;
    const request = await this.agent.store.requests.request(this.pending.request);
    if (request?.state === "answered" && request.answer?.yes) return true;
    if (request?.state !== "open") this.pending = null;
    return false;
  }

  /** An idle member has nothing to refuse for: it agrees without a model call. False when the request was withdrawn meanwhile. */
  async acceptIdle(): Promise<boolean> {
    const { store, seat, clock } = this.agent;
    if (!this.pending) return false;
    const request = await store.requests.request(this.pending.request);
    if (request?.state === "answered" && request.answer?.yes) return true;
    if (request?.state === "open") {
      // Nobody may answer any more, and nobody needs to: after the deadline it stops either way.
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

  /** Looks for what may not wait for the end of the step. */
  private async peek(): Promise<void> {
    const mail = await this.agent.store.mail.unread(this.agent.seat.name, PEEKED);
    for (const { body } of mail) if (body.kind === "shutdown_request") this.note(body.request, body.deadline);
    const urgent = mail.some((letter) => letter.urgent);
    if (urgent && interruptionOf(this.current.signal) === null)
      this.current.abort(new Interruption("urgent"));
  }
}
