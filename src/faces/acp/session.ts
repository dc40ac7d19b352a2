/**
 * A session of an editor: one team, hosted by this process. A prompt is mail of the person to the lead, and lasts until the team has
 * come to rest. The session outlives the process: the team is in its store.
 */

import type { PromptRequest, StopReason } from "@agentclientprotocol/sdk";
import { BUSY_REASONS } from "../../core/board/lifecycle.ts";
import { checkText } from "../../core/board/mail.ts";
import { messageOf } from "../../core/errors.ts";
import { HARNESS, LEAD, type MailId, type Name, PERSON } from "../../core/ids.ts";
import type { Mode } from "../../core/permission/mode.ts";
import { openHost } from "../../host/host.ts";
import type { TeamHost } from "../../host/team-host.ts";
import type { Delta, Request } from "../../ports/index.ts";
import { rememberTeam } from "../../project/known-teams.ts";
import { makeProjectFolder } from "../../project/project-folder.ts";
import { follow } from "../../team/queries/journal.ts";
import { WaitingQuestions } from "../../team/queries/requests.ts";
import { isCommand, printingTo, slash } from "../commands/slash/slash.ts";
import type { Invocation } from "../kit/invocation.ts";
import { clean } from "../kit/terminal.ts";
import type { Editor } from "./editor.ts";
import { promptImages } from "./images.ts";
import { EditorQuestions } from "./questions.ts";
import { promptText } from "./shown.ts";
import { TeamUpdates } from "./team-updates.ts";

/** The time after which a prompt asks whether the team has come to rest, should a wake-up be lost. */
const FLOOR_MS = 500;
/** A cancelled prompt is answered after this at the latest. */
const CANCEL_MS = 5_000;

export class TeamSession {
  readonly id: string;
  readonly host: TeamHost;
  private readonly call: Invocation;
  private readonly updates: TeamUpdates;
  private readonly questions: EditorQuestions;
  private readonly waiting: WaitingQuestions;
  private readonly reading = new AbortController();
  private readonly running = new Set<AbortController>();
  private reader: Promise<void> = Promise.resolve();
  /** Members that a cancel interrupted in their work. */
  private interrupted: Name[] = [];
  private fault: string | null = null;

  private constructor(
    id: string,
    call: Invocation,
    parts: { readonly host: TeamHost; readonly updates: TeamUpdates; readonly questions: EditorQuestions },
  ) {
    this.id = id;
    this.call = call;
    this.host = parts.host;
    this.updates = parts.updates;
    this.questions = parts.questions;
    this.waiting = new WaitingQuestions(this.host.store, (request, over) => void this.show(request, over));
    void this.host.done.then(({ error, reason }) => {
      this.fault = error?.message ?? `The team has ended (${reason}).`;
      for (const one of this.running) one.abort();
    });
  }

  /**
   * `servers`: MCP servers of the editor, as in .mcp.json. `replay`: earlier texts are sent again; the members that stopped
   * with their process continue. @throws as `openHost`
   */
  static async open(
    { id, call, editor }: { readonly id: string; readonly call: Invocation; readonly editor: Editor },
    servers: Readonly<Record<string, unknown>>,
    replay: boolean,
  ): Promise<TeamSession> {
    const [configured, trust] = [await call.settings(), await call.trust()];
    const settings = { ...configured, mcpServers: { ...configured.mcpServers, ...servers } };
    makeProjectFolder(call.cwd);
    rememberTeam(call.cwd, settings);
    let host: TeamHost | null = null;
    const store = (): TeamHost["store"] => (host as TeamHost).store;
    const { client, hasForms } = editor;
    const updates = new TeamUpdates({ ...{ id, cwd: call.cwd, editor }, host: () => host as TeamHost });
    const say = (text: string): void => updates.say(text);
    const questions = new EditorQuestions({ client, store, hasForms, sessionId: id, say });
    host = await openHost({
      ...{ settings, cwd: call.cwd, env: call.env, interactive: true, trust },
      asks: true,
      onDelta: (who: Name, delta: Delta) => updates.delta(who, delta),
      onModel: (who, { window }) => updates.windows.set(who, window),
      onNotice: (text) => updates.warn(text),
      onUsedUp: (text) => updates.warn(`${text} The team waits. /budget 5 allows 5 US dollars more.`),
    });
    const session = new TeamSession(id, call, { host, updates, questions });
    try {
      const from = await host.store.journal.end();
      await updates.catchUp(replay);
      session.reader = session.follow(from);
      await host.start({ interactive: true });
      return session;
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  /** To be called when the editor knows the session. */
  async begin(): Promise<void> {
    await this.updates.begin();
    await this.showQuestions();
  }

  async prompt({ prompt }: PromptRequest): Promise<StopReason> {
    if (this.fault !== null) throw new Error(this.fault);
    const over = new AbortController();
    this.running.add(over);
    try {
      const text = promptText(prompt);
      if (isCommand(text)) await this.command(text);
      else {
        const mail = await this.tell(text, prompt);
        await this.showQuestions();
        await this.rested(mail, over.signal);
      }
      if (this.fault !== null) throw new Error(this.fault);
      return over.signal.aborted ? "cancelled" : "end_turn";
    } finally {
      this.running.delete(over);
      await this.updates.caughtUp();
    }
  }

  /** Interrupts the lead and all teammates of this process that are at work. Their tasks stay their own. */
  async cancel(child: string | null = null): Promise<void> {
    if (child === null) this.questions.putAside();
    const members = await this.host.store.roster.members();
    for (const { name, activity, host } of members) {
      const isMeant = child === null || child === this.updates.childId(name);
      const isBusy =
        activity.phase === "work" || (activity.phase === "idle" && BUSY_REASONS.includes(activity.reason));
      if (!isMeant || !isBusy || host === null || !this.host.models.has(name)) continue;
      await this.host.order({ kind: "interrupt", who: name });
      if (name !== LEAD && !this.interrupted.includes(name)) this.interrupted.push(name);
    }
    if (child !== null) return;
    await this.until(async () => await this.isStill(), AbortSignal.timeout(CANCEL_MS));
    this.updates.cut();
    for (const one of this.running) one.abort();
  }

  async useMode(mode: Mode): Promise<void> {
    await this.host.order({ kind: "mode", mode });
  }

  get mode(): Mode {
    return this.host.mode;
  }

  /** The team keeps its state. */
  async close(): Promise<void> {
    this.questions.putAside();
    this.reading.abort();
    for (const one of this.running) one.abort();
    await this.host.interrupt().catch(() => {});
    await this.reader;
    await this.host.close();
  }

  /** Null: it was the answer to a question. */
  private async tell(text: string, prompt: PromptRequest["prompt"]): Promise<MailId | null> {
    if (this.questions.waitsForWords && (await this.questions.take(text))) return null;
    const images = await promptImages(prompt, this.call.cwd);
    const { store } = this.host;
    const stopped = this.interrupted.splice(0).join(", ");
    if (stopped !== "") {
      const note = `The person has interrupted ${stopped}, too. Each keeps its task and waits for a message: send_message lets it continue or says what to do instead.`;
      await store.mail.send(HARNESS, { to: LEAD, body: { kind: "note", text: note } });
    }
    this.updates.titled(text);
    return await this.host.tellLead(checkText(text), images);
  }

  private async command(line: string): Promise<void> {
    const say = (text: string): void => this.updates.say(`${clean(text)}\n`);
    const { call, host } = this;
    const quit = (): void => say("The editor ended the session. The team's state is kept.");
    const fenced = {
      isTTY: false,
      colour: false,
      width: () => 100,
      paint: plain,
      write: (text: string) => say(`\`\`\`\n${clean(text).trimEnd()}\n\`\`\``),
    };
    try {
      await slash({ host, call: printingTo({ ...call, json: false }, host.store, fenced), quit }, line);
    } catch (error) {
      say(messageOf(error));
    }
  }

  private async show(request: Request, over: AbortSignal): Promise<void> {
    over.addEventListener("abort", () => this.questions.answered(request.id), { once: true });
    if (request.ask.kind === "permission")
      await this.questions.permission(request, await this.updates.callOf(request), over);
    else await this.questions.member(request);
  }

  /** Also those that a cancel has put aside. */
  private async showQuestions(): Promise<void> {
    await this.waiting.read();
    for (const open of await this.host.store.requests.open({ of: PERSON, kind: "question" }))
      void this.questions.member(open);
  }

  /** Waits until nothing continues in the team by itself, or the person must answer. `mail`: the mail of the prompt. */
  private async rested(mail: MailId | null, signal: AbortSignal): Promise<void> {
    const { store } = this.host;
    await this.until(async () => {
      if (this.questions.waitsForWords) return true;
      if ((await store.roster.member(LEAD))?.activity.phase === "shutdown") return true;
      if (mail !== null && (await store.mail.mail(mail))?.deliveredAt === null) return false;
      const state = await store.board.announceQuiet();
      return state === "quiet" || (state === "busy" && (await this.onlyInterrupted()));
    }, signal);
  }

  /** Every member that has something to do waits for a message of the person. */
  private async onlyInterrupted(): Promise<boolean> {
    const { roster } = this.host.store;
    const members = (await roster.members()).filter(({ activity }) => activity.phase !== "shutdown");
    const waits = members.filter(
      ({ activity }) => activity.phase === "idle" && activity.reason === "interrupted",
    );
    const host = members.find(({ name }) => this.host.models.has(name))?.host;
    if (waits.length === 0 || !host || members.some(({ activity }) => activity.phase === "work"))
      return false;
    const wanted = await roster.wanted(host);
    return wanted.every((name) => waits.some((one) => one.name === name));
  }

  private async isStill(): Promise<boolean> {
    const members = await this.host.store.roster.members();
    return members.every(({ name, activity }) => !this.host.models.has(name) || activity.phase !== "work");
  }

  private async until(done: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
    const { wake } = this.host.store;
    for (;;) {
      const mark = wake.mark();
      if (signal.aborted || this.reading.signal.aborted || (await done())) return;
      await wake.changed(mark, ["journal", "board"], FLOOR_MS, signal);
    }
  }

  private async follow(from: Parameters<typeof follow>[1]): Promise<void> {
    const { store } = this.host;
    try {
      for await (const events of follow(store, from, this.reading.signal)) {
        await this.updates.take(events);
        await this.waiting.take(events);
      }
    } catch (error) {
      this.updates.warn(`cannot follow the journal: ${messageOf(error)}`);
    }
  }
}

const plain = (_: unknown, text: string): string => text;
