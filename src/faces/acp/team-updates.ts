/**
 * Sends the events of the team as updates of the session: words, thoughts and calls of the lead, the board as the plan, mode, cost. Teammates have
 * child sessions where the editor shows them; else their tasks, edits and commands are calls in the session of the lead.
 */
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { words } from "../../core/board/mail.ts";
import { type Event, TASK_CHANGES } from "../../core/event.ts";
import { LEAD, type Name } from "../../core/ids.ts";
import { oneLine } from "../../core/text/one-line.ts";
import { sentence } from "../../core/views/sentence.ts";
import type { TeamHost } from "../../host/team-host.ts";
import type { Ask, Delta, Request } from "../../ports/index.ts";
import { offeredCommands } from "../commands/slash/slash.ts";
import { toPerson } from "../kit/news.ts";
import type { Editor } from "./editor.ts";
import type { ShownCall } from "./questions.ts";
import { patchBlock, planOf, textBlock } from "./shown.ts";
import { Story } from "./story.ts";

/** They are about a terminal, or the editor does it. */
const NOT_HERE: ReadonlySet<string> = new Set(["quit", "copy", "mode"]);
const TITLE_MAX = 80;

type Parts = {
  readonly id: string;
  readonly cwd: string;
  readonly editor: Editor;
  readonly host: () => TeamHost;
};

export class TeamUpdates {
  /** Tokens of context of each member's model. */
  readonly windows = new Map<Name, number>();
  private readonly parts: Parts;
  private readonly stories = new Map<Name, Story>();
  private readonly children = new Map<Name, string>();
  /** The attempt whose call is shown, by task. */
  private readonly attempts = new Map<number, number>();
  private used = 0;
  private isTitled = false;
  private questions = 0;
  private latest: Promise<void> = Promise.resolve();

  constructor(parts: Parts) {
    this.parts = parts;
  }

  childId(who: Name): string {
    return `${this.parts.id}/${who}`;
  }

  say(text: string): void {
    this.send({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  }

  warn(text: string): void {
    this.say(`\n\n> ${text.trim().replaceAll("\n", "\n> ")}\n\n`);
  }

  /** The first prompt names the session. */
  titled(text: string): void {
    if (this.isTitled) return;
    this.isTitled = true;
    const updatedAt = new Date().toISOString();
    this.send({ sessionUpdate: "session_info_update", title: oneLine(text, TITLE_MAX), updatedAt });
  }

  delta(who: Name, delta: Delta): void {
    if (who === LEAD || this.children.has(who)) this.story(who).delta(delta);
  }

  /** The replies that were being written break off. */
  cut(): void {
    for (const story of this.stories.values()) story.startOver();
  }

  /** Sends the earlier texts again, or passes over them. */
  async catchUp(replay: boolean): Promise<void> {
    const { store } = this.parts.host();
    for (const { name, kind, role, activity, turns } of await store.roster.members()) {
      if (kind !== "lead" && activity.phase === "shutdown") continue;
      if (kind !== "lead") this.born(name, role);
      await this.story(name).readOn(
        store,
        !replay || (kind !== "lead" && !this.children.has(name)) ? "silent" : "replay",
      );
      if (kind === "lead" && turns > 0) this.isTitled = true;
    }
  }

  async begin(): Promise<void> {
    const commands = offeredCommands().filter(({ name }) => !NOT_HERE.has(name));
    this.send({
      sessionUpdate: "available_commands_update",
      availableCommands: commands.map(({ name, about }) => ({
        name,
        description: about,
        input: { hint: "" },
      })),
    });
    await this.plan();
    await this.usage(null);
  }

  take(events: readonly Event[]): Promise<void> {
    this.latest = this.takeAll(events);
    return this.latest;
  }

  /** Resolves when everything that the store has by now was sent. */
  async caughtUp(): Promise<void> {
    await this.latest.catch(() => {});
    const { store } = this.parts.host();
    for (const story of this.stories.values()) await story.readOn(store).catch(() => {});
    await this.plan().catch(() => {});
  }

  /** The call that a permission is asked for, and the session that shows it. */
  async callOf({ by: who, ask }: Request): Promise<ShownCall> {
    const { tool, subject, diff, why: reason = "" } = ask as Extract<Ask, { kind: "permission" }>;
    const story = this.story(who);
    await story.readOn(this.parts.host().store);
    const sessionId = this.children.get(who) ?? this.parts.id;
    const label = this.labelOf(who);
    const open = story.openCall(tool, subject);
    this.questions += 1;
    const toolCallId = open?.id ?? `question-${this.questions}`;
    const title = `${label}${open?.shown.title ?? `${tool}: ${oneLine(subject, 200)}`}`;
    const kind = open?.shown.kind ?? "other";
    const shown = open?.shown.content ?? [];
    // An edit and a new file say by themselves what changes.
    const isNew = diff?.startsWith("--- /dev/null") === true;
    const isShown = shown.some((part) => part.type === "diff" && (isNew || part.oldText != null));
    const patch = diff !== undefined && !isShown;
    const content = [...(patch ? [patchBlock(diff)] : shown), textBlock(`Why it is asked: ${reason}.`)];
    return { toolCall: { toolCallId, title, kind, content, status: "pending" }, sessionId };
  }

  private async takeAll(events: readonly Event[]): Promise<void> {
    let planned = false;
    for (const event of events) {
      if ((TASK_CHANGES as readonly string[]).includes(event.type)) planned = true;
      await this.one(event);
    }
    if (planned) await this.plan();
  }

  private async one(event: Event): Promise<void> {
    const { store } = this.parts.host();
    switch (event.type) {
      case "teammate.spawned":
        if (event.kind !== "lead") this.born(event.who, event.role);
        return;
      case "teammate.phase":
        if (event.who !== LEAD) this.state(event.who, event.phase, event.reason);
        return;
      case "turn.taken":
        if (event.subagent) return;
        await this.story(event.who).readOn(store);
        return await this.usage(event);
      case "tool.called":
        return event.subagent ? undefined : await this.story(event.who).readOn(store);
      case "model.retried":
        this.story(event.who).startOver();
        return;
      case "task.claimed":
        return this.card(event.task, `${event.by}: #${event.task} ${event.subject}`, event.attempt);
      case "task.completed":
        return this.cardEnds(event.task, event.attempt, "completed", event.result);
      case "task.failed":
        return this.cardEnds(event.task, event.attempt, "failed", event.reason);
      case "task.released":
      case "task.cancelled":
        return this.cardEnds(event.task, this.attempts.get(event.task) ?? 0, "failed", sentence(event).text);
      case "mode.changed":
        return this.send({ sessionUpdate: "current_mode_update", currentModeId: event.mode });
      case "warning.raised":
        return this.warn(event.who === null ? event.text : `${event.who}: ${event.text}`);
      case "mail.sent": {
        const text = await toPerson(event, store);
        if (text !== null) this.say(`\n\n**${event.from}** ${text}\n\n`);
        return await this.mail(event);
      }
      default:
    }
  }

  private send(update: SessionUpdate, sessionId = this.parts.id): void {
    const { client } = this.parts.editor;
    void client.notify("session/update", { sessionId, update }).catch(() => {});
  }

  /** Sends an update about the subagents of the protocol, which its stable types do not have yet. */
  private sendMore(update: Readonly<Record<string, unknown>>, sessionId = this.parts.id): void {
    this.send(update as never, sessionId);
  }

  private labelOf(who: Name): string {
    return who === LEAD || this.children.has(who) ? "" : `${who}: `;
  }

  private story(who: Name): Story {
    const known = this.stories.get(who);
    if (known) return known;
    const child = this.children.get(who);
    const options = {
      cwd: this.parts.cwd,
      label: this.labelOf(who),
      whole: who === LEAD || child !== undefined,
    };
    const story = new Story(who, options, (update) => this.send(update, child));
    this.stories.set(who, story);
    return story;
  }

  private born(who: Name, role: string): void {
    if (!this.parts.editor.hasChildren || this.children.has(who)) return;
    const sessionId = this.childId(who);
    this.children.set(who, sessionId);
    this.sendMore({
      ...{ sessionUpdate: "subagent_update", sessionId, title: who },
      description: role === "" ? "a teammate" : role,
      capabilities: { cancel: {} },
      state: { state: "idle" },
    });
  }

  private state(who: Name, phase: string, reason: string | undefined): void {
    const sessionId = this.children.get(who);
    if (sessionId === undefined) return;
    const waits = reason === "awaiting_permission" || reason === "awaiting_answer";
    const state = phase === "work" ? "running" : waits ? "requires_action" : "idle";
    const stopReason = reason === "interrupted" ? "cancelled" : reason === "failed" ? "error" : "end_turn";
    this.sendMore({
      ...{ sessionUpdate: "subagent_update", sessionId },
      state: state === "idle" ? { state, stopReason } : { state },
    });
  }

  /** Mail between members, where both have a session. */
  private async mail({ mail, from, to }: Extract<Event, { type: "mail.sent" }>): Promise<void> {
    const idOf = (who: Name): string | undefined => (who === LEAD ? this.parts.id : this.children.get(who));
    const [sender, recipient] = [idOf(from), idOf(to)];
    if (this.children.size === 0 || sender === undefined || recipient === undefined) return;
    const found = await this.parts.host().store.mail.mail(mail);
    if (!found) return;
    const messageId = `mail-${mail}`;
    for (const sessionId of new Set([sender, recipient]))
      this.sendMore(
        {
          ...{ sessionUpdate: "session_message", messageId },
          ...{ senderSessionId: sender, recipientSessionId: recipient },
          ...(sessionId === sender ? { recipientMessageId: messageId } : { senderMessageId: messageId }),
          content: [{ type: "text", text: words(found.body) }],
        },
        sessionId,
      );
  }

  private card(task: number, title: string, attempt: number): void {
    if (this.parts.editor.hasChildren) return;
    this.attempts.set(task, attempt);
    const toolCallId = `task-${task}-${attempt}`;
    this.send({ sessionUpdate: "tool_call", toolCallId, title, kind: "think", status: "in_progress" });
  }

  private cardEnds(task: number, attempt: number, status: "completed" | "failed", text: string): void {
    if (this.parts.editor.hasChildren || attempt === 0) return;
    const toolCallId = `task-${task}-${attempt}`;
    this.send({ sessionUpdate: "tool_call_update", toolCallId, status, content: [textBlock(text)] });
  }

  private async plan(): Promise<void> {
    const entries = planOf(await this.parts.host().store.board.tasks());
    this.send({ sessionUpdate: "plan", entries });
  }

  /** The context of the lead, and the cost of the whole team. */
  private async usage(turn: Extract<Event, { type: "turn.taken" }> | null): Promise<void> {
    const { roster } = this.parts.host().store;
    const size = this.windows.get(LEAD);
    if (turn?.who === LEAD) this.used = turn.inputTokens + turn.outputTokens;
    if (size === undefined) return;
    const amount = (await roster.members()).reduce((sum, { usd }) => sum + usd, 0);
    this.send({ sessionUpdate: "usage_update", used: this.used, size, cost: { amount, currency: "USD" } });
  }
}
