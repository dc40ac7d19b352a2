/**
 * `ekiden` without a full screen: a conversation with the lead, line by line, while the team's news comes in. It is only a program that
 * sends mail to the lead and follows the journal; piped, each line is a message.
 */

import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { BUSY_REASONS } from "../../core/board/lifecycle.ts";
import { checkText } from "../../core/board/mail.ts";
import { messageOf } from "../../core/errors.ts";
import { LEAD, type MailId } from "../../core/ids.ts";
import { planFirstOf } from "../../core/plan/hold.ts";
import { jsonLine } from "../../core/text/hidden.ts";
import { canBeInterrupted } from "../../core/views/retry.ts";
import { openHost } from "../../host/host.ts";
import type { Outcome } from "../../host/outcome.ts";
import type { TeamHost } from "../../host/team-host.ts";
import { makeProjectFolder } from "../../project/project-folder.ts";
import { follow } from "../../team/queries/journal.ts";
import { RAISE } from "../commands/slash/budget.ts";
import { exitCodeOf } from "../kit/exit-code.ts";
import type { Invocation } from "../kit/invocation.ts";
import { FAREWELL } from "../kit/terminal.ts";
import { Answer } from "./answer.ts";
import { Lines } from "./lines.ts";
import { contextOf, takeLine } from "./prompt.ts";

/** A second Ctrl-C within this time leaves. */
const TWICE_MS = 2_000;
/** The time after which a piped conversation asks whether the team has come to rest, should a wake-up be lost. */
const FLOOR_MS = 500;

export async function run(call: Invocation): Promise<number | undefined> {
  const talk = new Conversation(call);
  const { lines } = talk;
  makeProjectFolder(call.cwd);
  const settings = await call.settings();
  const host = await openHost({
    settings,
    planFirst: planFirstOf(settings, lines.asks),
    cwd: call.cwd,
    env: call.env,
    interactive: true,
    trust: await call.trust(),
    onDelta: (who, delta) => {
      if (who === LEAD && delta.type === "text" && !call.json) talk.answer.take(delta.text);
    },
    onNotice: (text) => lines.say(`ekiden: ${text}`),
    ...(lines.asks && {
      asks: true,
      onUsedUp: (text) => lines.output.write(call.out.paint("warn", `${text} ${RAISE}`)),
    }),
  });
  try {
    await host.start({ interactive: true });
    return await talk.run(host);
  } finally {
    lines.stop();
    await host.close();
    if (talk.left) call.say(FAREWELL);
  }
}

class Conversation {
  readonly lines: Lines;
  readonly answer: Answer;
  /** By the person's wish, not because the team came to its end. */
  left = false;
  private readonly call: Invocation;
  private readonly reading = new AbortController();
  private readonly over: Promise<number | undefined>;
  private end: (code: number | undefined) => void = () => {};
  private host: TeamHost | null = null;
  private interruptedAt = 0;
  private leaving = false;
  private outcome: Outcome | null = null;

  constructor(call: Invocation) {
    this.call = call;
    const keys = {
      later: "ctrl-c",
      interrupt: () => void this.interrupt(),
      quit: () => this.quit(undefined),
      end: () => {
        this.quit(undefined);
        return false;
      },
    };
    this.lines = new Lines(call, { out: call.out, stream: process.stdout, keys });
    this.answer = new Answer(this.lines.output);
    this.over = new Promise((resolve) => {
      this.end = resolve;
    });
  }

  async run(host: TeamHost): Promise<number | undefined> {
    const { lines, call } = this;
    this.host = host;
    const reader = this.readAlong(host);
    const stop = (): void => this.quit(130);
    process.on("SIGTERM", stop).on("SIGHUP", stop);
    if (!lines.asks) process.on("SIGINT", stop);
    void host.done.then((outcome) => {
      this.outcome = outcome;
      this.quit(exitCodeOf(outcome));
    });
    try {
      if (!lines.asks) void this.recite(host).catch((error: unknown) => this.fail(error));
      else {
        const dim = (text: string): void => lines.output.write(call.out.paint("dim", text));
        dim(`Team "${host.store.team}". Type what you want; /help lists the commands.`);
        void host.sandbox().then(dim, () => {});
      }
      await lines.open(host);
      const code = await this.over;
      if (this.outcome?.error) lines.say(`ekiden: ${this.outcome.error.message}`);
      return code;
    } finally {
      process.off("SIGTERM", stop).off("SIGHUP", stop).off("SIGINT", stop);
      if (!this.outcome) await host.interrupt();
      this.reading.abort();
      await reader;
      this.answer.end();
    }
  }

  private quit(code: number | undefined): void {
    if (!this.leaving) this.left = this.lines.asks && this.outcome === null;
    this.leaving = true;
    this.end(code);
  }

  private fail(error: unknown): void {
    this.lines.say(`ekiden: ${messageOf(error)}`);
    this.quit(1);
  }

  /** One line after the other, each answered before the next; at the end the team comes to rest. */
  private async recite(host: TeamHost): Promise<void> {
    const { call, lines } = this;
    const { output } = lines;
    const context = contextOf({ call, host, output }, { quit: () => this.quit(undefined) });
    // Its words may be those of somebody else: no image that they name is read.
    const tellLead = async (text: string): Promise<MailId> => await host.tellLead(checkText(text));
    for await (const line of createInterface({ input: process.stdin })) {
      const mail = await takeLine(context, output, line, tellLead);
      if (mail !== null) await this.until(host, () => isAnswered(host, mail));
    }
    await this.until(host, async () => (await host.store.board.announceQuiet()) === "quiet");
    this.quit(undefined);
  }

  private async until({ store: { wake } }: TeamHost, done: () => Promise<boolean>): Promise<void> {
    for (;;) {
      const mark = wake.mark();
      if (this.reading.signal.aborted || (await done())) return;
      await wake.changed(mark, ["journal", "board"], FLOOR_MS, this.reading.signal);
      // Facts come in bursts; asking once per burst is enough.
      await sleep(5);
    }
  }

  private async interrupt(): Promise<void> {
    const { lines, host } = this;
    const now = Date.now();
    if (now - this.interruptedAt < TWICE_MS) return this.quit(130);
    this.interruptedAt = now;
    lines.prompt?.questions.putAside();
    const lead = await host?.store.roster.member(LEAD);
    if (!lead || !canBeInterrupted(lead.activity))
      return lines.say("Ctrl-C again to leave (the team's state is kept), or /quit");
    await host?.order({ kind: "interrupt", who: LEAD });
    lines.say("interrupted; Ctrl-C again to leave");
  }

  /** Shows the lead's texts as answers, and only news of the others. */
  private async readAlong({ store }: TeamHost): Promise<void> {
    const { call, lines } = this;
    try {
      for await (const events of follow(store, await store.journal.end(), this.reading.signal))
        for (const event of events) {
          if (call.json) call.out.write(jsonLine(event));
          if (event.type === "turn.taken" && event.who === LEAD && !call.json) this.said(event.text);
          else if (!this.leaving) await lines.take([event]);
        }
    } catch (error) {
      lines.say(`ekiden: cannot follow the journal: ${messageOf(error)}`);
    }
  }

  /** The lead has ended a turn: its words are there, unless they came while they were written. */
  private said(text: string): void {
    if (this.answer.end()) return;
    this.answer.take(text);
    this.answer.end();
  }
}

async function isAnswered({ store }: TeamHost, mail: MailId): Promise<boolean> {
  const lead = await store.roster.member(LEAD);
  if (lead?.activity.phase === "shutdown") return true;
  return (
    lead?.activity.phase === "idle" &&
    !BUSY_REASONS.includes(lead.activity.reason) && // it is in the middle of its turn
    lead.unread === 0 &&
    (await store.mail.mail(mail))?.deliveredAt !== null
  );
}
