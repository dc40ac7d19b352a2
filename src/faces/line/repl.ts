/**
 * `ekiden` without a full screen: a conversation with the lead, line by line, while the team's news comes in. The REPL is only a
 * program that sends mail to the lead and follows the journal; piped, each line is a message.
 */
import { createInterface, type Interface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { BUSY_REASONS } from "../../core/board/lifecycle.ts";
import { checkText } from "../../core/board/mail.ts";
import { imageLine } from "../../core/conversation/image.ts";
import { messageOf } from "../../core/errors.ts";
import type { Event } from "../../core/event.ts";
import { LEAD, type MailId, PERSON } from "../../core/ids.ts";
import { canBeInterrupted } from "../../core/views/retry.ts";
import { sentence } from "../../core/views/sentence.ts";
import { openHost } from "../../host/host.ts";
import type { Outcome } from "../../host/outcome.ts";
import type { TeamHost } from "../../host/team-host.ts";
import { modelsHere } from "../../project/models-here.ts";
import { makeProjectFolder } from "../../project/project-folder.ts";
import { answer } from "../../team/actions/answer.ts";
import { attachedTo } from "../../team/actions/mail.ts";
import { follow } from "../../team/queries/journal.ts";
import { WaitingQuestions } from "../../team/queries/requests.ts";
import { RAISE } from "../commands/slash/budget.ts";
import type { ReplContext } from "../commands/slash/context.ts";
import { isCommand, printingTo, slash } from "../commands/slash/slash.ts";
import { completing } from "../commands/slash/values.ts";
import { exitCodeOf } from "../kit/exit-code.ts";
import type { Invocation } from "../kit/invocation.ts";
import { News, toPerson } from "../kit/news.ts";
import { feedLine, overflow } from "../kit/print.ts";
import { clean, FAREWELL } from "../kit/terminal.ts";
import { PromptQuestions } from "./questions.ts";
import { ReplScreen } from "./screen.ts";

/** A second Ctrl-C within this time leaves. */
const TWICE_MS = 2_000;
/** The beginning of a line with news of the team, to tell it from the lead's answers. */
const MARK = "· ";
/** The time after which a piped conversation asks whether the team has come to rest, should a wake-up be lost. */
const FLOOR_MS = 500;

export async function run(call: Invocation): Promise<number | undefined> {
  const settings = await call.settings();
  makeProjectFolder(call.cwd);
  const interactive = process.stdin.isTTY === true && call.out.isTTY;
  let talk: Conversation | undefined;
  const host = await openHost({
    settings,
    cwd: call.cwd,
    env: call.env,
    interactive: true,
    trust: await call.trust(),
    onDelta: (who, delta) => {
      if (who === LEAD && delta.type === "text" && !call.json) talk?.screen.stream(delta.text);
    },
    onNotice: (text) => (talk ? talk.screen.write(text) : call.err.write(`ekiden: ${text}\n`)),
    ...(interactive && {
      asks: true,
      onUsedUp: (text) => talk?.screen.write(call.out.paint("warn", `${text} ${RAISE}`)),
    }),
  });
  // Not before: input that comes meanwhile waits in the terminal, also for the shell if the host cannot be opened.
  const input = createInterface({
    input: process.stdin,
    ...(interactive && {
      ...{ output: process.stdout, prompt: "> " },
      completer: completing(() => modelsHere(settings, host.models.values()), call.cwd),
    }),
  });
  const conversation = new Conversation(call, host, input, interactive);
  talk = conversation;
  try {
    await host.start({ interactive: true });
    return await conversation.run({
      host,
      call: printingTo(call, host.store, { ...call.out, write: (text) => conversation.screen.write(text) }),
      quit: () => conversation.quit(undefined),
      ...(interactive && { tell: (text: string) => conversation.tellLead(text) }),
    });
  } finally {
    conversation.screen.close();
    input.close();
    await host.close();
    if (interactive && conversation.left) call.say(FAREWELL);
  }
}

class Conversation {
  private readonly over: Promise<number | undefined>;
  private end: (code: number | undefined) => void = () => {};
  private readonly reading = new AbortController();
  private readonly feed = new News();
  private readonly asked: WaitingQuestions;
  private interruptedAt = 0;
  private leaving = false;
  private outcome: Outcome | null = null;
  readonly screen: ReplScreen;
  readonly questions: PromptQuestions;
  /** By the person's wish, not because the team came to its end. */
  left = false;
  private readonly call: Invocation;
  private readonly host: TeamHost;
  private readonly input: Interface;
  private readonly piped: AsyncIterableIterator<string> | null;
  /** Lines that were typed before they can be taken. */
  private readonly early: string[] = [];
  private onLine: (line: string) => void = (line) => void this.early.push(line);

  constructor(call: Invocation, host: TeamHost, input: Interface, interactive: boolean) {
    this.call = call;
    this.host = host;
    this.input = input;
    this.screen = new ReplScreen(call.out, input, interactive);
    const paint = (text: string): string => call.out.paint("warn", text);
    const say = (error: unknown): void => this.screen.write(clean(messageOf(error)));
    this.questions = new PromptQuestions(
      this.screen,
      paint,
      (...given) => void answer(host.store, ...given).catch(say),
    );
    this.asked = new WaitingQuestions(host.store, this.questions.put);
    // Begun now: lines that come before somebody iterates would be lost.
    this.piped = interactive ? null : input[Symbol.asyncIterator]();
    if (interactive) input.on("line", (line) => this.onLine(line));
    this.over = new Promise((resolve) => {
      this.end = resolve;
    });
  }

  quit(code: number | undefined): void {
    if (!this.leaving) this.left = this.outcome === null;
    this.leaving = true;
    this.end(code);
  }

  async run(context: ReplContext): Promise<number | undefined> {
    const reader = this.readAlong();
    const stop = (): void => this.quit(130);
    process.on("SIGTERM", stop).on("SIGHUP", stop);
    if (this.piped) process.on("SIGINT", stop);
    void this.host.done.then((outcome) => {
      this.outcome = outcome;
      this.quit(exitCodeOf(outcome));
    });
    try {
      if (this.piped === null) this.listen(context);
      else
        void this.recite(context, this.piped).then(
          () => this.quit(undefined),
          (error: unknown) => this.fail(error),
        );
      const code = await this.over;
      if (this.outcome?.error) this.screen.write(`ekiden: ${this.outcome.error.message}`);
      return code;
    } finally {
      process.off("SIGTERM", stop).off("SIGHUP", stop).off("SIGINT", stop);
      if (!this.outcome) await this.host.interrupt();
      this.reading.abort();
      await reader;
    }
  }

  private listen(context: ReplContext): void {
    const { team } = this.host.store;
    const dim = (text: string): void => this.screen.write(this.call.out.paint("dim", text));
    dim(`Team "${team}". Your words go to the lead; /help shows what else there is.`);
    void this.host.sandbox().then(dim, () => {});
    this.onLine = (line) => {
      if (!this.questions.answer(line)) void this.take(context, line);
    };
    void this.asked.read().catch(() => {});
    for (const line of this.early.splice(0)) this.onLine(line);
    this.input.on("close", () => this.quit(undefined));
    this.input.on("SIGINT", () => void this.interrupt());
  }

  /** Piped: one line after the other, each answered before the next; at the end the team comes to rest. */
  private async recite(context: ReplContext, lines: AsyncIterable<string>): Promise<void> {
    for await (const line of lines) {
      const mail = await this.take(context, line);
      if (mail !== null) await this.answered(mail);
    }
    await this.until(async () => (await this.host.store.board.announceQuiet()) === "quiet");
  }

  private answered(mail: MailId): Promise<void> {
    const { store } = this.host;
    return this.until(async () => {
      const lead = await store.roster.member(LEAD);
      if (lead?.activity.phase === "shutdown") return true;
      return (
        lead?.activity.phase === "idle" &&
        !BUSY_REASONS.includes(lead.activity.reason) && // it is in the middle of its turn
        lead.unread === 0 &&
        (await store.mail.mail(mail))?.deliveredAt !== null
      );
    });
  }

  private async until(done: () => Promise<boolean>): Promise<void> {
    const { wake } = this.host.store;
    for (;;) {
      const mark = wake.mark();
      if (this.reading.signal.aborted || (await done())) return;
      await wake.changed(mark, ["journal", "board"], FLOOR_MS, this.reading.signal);
      // Facts come in bursts; asking once per burst is enough.
      await sleep(5);
    }
  }

  /** The mail it became, if the line was for the lead. */
  private async take(context: ReplContext, line: string): Promise<MailId | null> {
    try {
      if (line.trim() === "") return null;
      if (!isCommand(line)) return await this.tellLead(line);
      await slash(context, line);
    } catch (error) {
      this.screen.write(this.call.out.paint("bad", clean(messageOf(error))));
    } finally {
      this.screen.prompt();
    }
    return null;
  }

  async tellLead(line: string): Promise<MailId> {
    const text = checkText(line);
    if (this.piped !== null) return await this.host.tellLead(text); // it may be the text of somebody else
    const images = await attachedTo(text, this.call.cwd).catch((error: unknown) => {
      if (this.input.line === "") this.input.write(line); // to be corrected
      throw error;
    });
    if (images.length > 0)
      this.screen.write(this.call.out.paint("dim", clean(images.map(imageLine).join("\n"))));
    return await this.host.tellLead(line, images);
  }

  private async interrupt(): Promise<void> {
    const now = Date.now();
    if (now - this.interruptedAt < TWICE_MS) return this.quit(130);
    this.interruptedAt = now;
    this.questions.putAside();
    const lead = await this.host.store.roster.member(LEAD);
    if (!lead || !canBeInterrupted(lead.activity))
      return this.screen.write("Ctrl-C again to leave (the team's state is kept), or /quit");
    await this.host.order({ kind: "interrupt", who: LEAD });
    this.screen.write("interrupted; Ctrl-C again to leave");
  }

  private fail(error: unknown): void {
    this.screen.write(`ekiden: ${messageOf(error)}`);
    this.quit(1);
  }

  /** Shows the lead's texts as answers, and only news of the others. */
  private async readAlong(): Promise<void> {
    const { store } = this.host;
    try {
      for await (const events of follow(store, await store.journal.end(), this.reading.signal)) {
        if (this.piped === null) await this.asked.take(events);
        for (const event of events) await this.tell(event);
      }
    } catch (error) {
      this.screen.write(`ekiden: cannot follow the journal: ${messageOf(error)}`);
    }
  }

  private async tell(event: Event): Promise<void> {
    const { out, json } = this.call;
    if (json) return out.write(`${JSON.stringify(event)}\n`);
    if (event.type === "turn.taken" && event.who === LEAD) {
      if (this.screen.endStream()) return;
      this.screen.stream(event.text);
      this.screen.endStream();
      return;
    }
    if (event.type === "mail.sent" && event.to === PERSON) {
      const text = await toPerson(event, this.host.store);
      if (text !== null) this.news(event, text, "goes on");
      return;
    }
    if (event.type === "permission.asked" && (await this.isAskedHere())) return;
    const said = this.feed.of(event);
    if (said && !this.call.quiet && !this.leaving) this.news(event, said.text);
  }

  /** Whether the prompt itself asks about permissions. */
  private async isAskedHere(): Promise<boolean> {
    return this.piped === null && (await this.call.settings()).permissionsTo !== "lead";
  }

  private news(event: Event, text: string, tooLong = overflow(sentence(event).tone)): void {
    const { out } = this.call;
    const narrower = { ...out, width: () => out.width() - MARK.length };
    const lines = feedLine(narrower, { at: null, ...sentence(event), text }, 12, tooLong);
    const marked = lines.map((line, i) => `${i === 0 ? MARK : " ".repeat(MARK.length)}${line}`);
    this.screen.write(out.paint("dim", marked.join("\n")));
  }
}
