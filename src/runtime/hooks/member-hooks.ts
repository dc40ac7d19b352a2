/** The hooks in one member's life: at its start, at the end of a stint, before a summary. */

import type { IdleReason } from "../../core/board/lifecycle.ts";
import type { Profile } from "../../core/board/member.ts";
import { tagged } from "../../core/conversation/tags.ts";
import { messageOf } from "../../core/errors.ts";
import type { HookEvent } from "../../core/project/hooks.ts";
import type { Store } from "../../ports/index.ts";
import type { HookCall, HookOutcome, Hooks } from "./hooks.ts";

/** The number of times in a row that a hook may send a member back to work. */
const MOST_BLOCKS = 3;

export class MemberHooks {
  private readonly hooks: Hooks;
  private readonly store: Store;
  private readonly who: Pick<Profile, "name" | "kind" | "role">;
  /** Blocks in a row. */
  private readonly blocks = { Stop: 0, TeammateIdle: 0 };

  constructor(hooks: Hooks, store: Store, who: Pick<Profile, "name" | "kind" | "role">) {
    this.hooks = hooks;
    this.store = store;
    this.who = who;
  }

  /**
   * A section for the system prompt, or "". `source`: whether the member is new or continues. These hooks cannot block, and an
   * aborted signal only ends the wait.
   */
  async start(source: "startup" | "resume", signal: AbortSignal): Promise<string> {
    try {
      const { blocked, context } = await this.run("SessionStart", source, { source }, signal);
      return blocked ?? context;
    } catch (error) {
      if (!signal.aborted) throw error;
      await this.warn(`The SessionStart hooks took too long and were ended: ${messageOf(signal.reason)}`);
      return "";
    }
  }

  /** Whether the end of a stint waits for hooks. */
  get asksAtStop(): boolean {
    return this.hooks.has("Stop");
  }

  /** The member ends its stint. Null: it may; else a text with which it continues. Blocks three times in a row at most. */
  stop(reason: IdleReason, lastWords: string, signal: AbortSignal): Promise<string | null> {
    return this.rest("Stop", { reason, last_assistant_message: lastWords }, signal);
  }

  /** The member has found nothing to do. As `stop`. */
  idle(reason: IdleReason, signal: AbortSignal): Promise<string | null> {
    return this.rest("TeammateIdle", { reason }, signal);
  }

  /** Before a summary replaces the conversation. Null: continue; else the reason against it. */
  async compact(trigger: "auto" | "manual", signal: AbortSignal): Promise<string | null> {
    const { blocked } = await this.run("PreCompact", trigger, { trigger }, signal);
    if (blocked !== null) await this.warn(`A PreCompact hook prevents the summary: ${blocked}`);
    return blocked;
  }

  private async rest(
    event: keyof typeof this.blocks,
    details: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<string | null> {
    const { name } = this.who;
    const before = this.blocks[event];
    if (before >= MOST_BLOCKS) {
      this.blocks[event] = 0;
      await this.warn(
        `The ${event} hook has sent ${name} back to work ${MOST_BLOCKS} times in a row; it is skipped this time.`,
      );
      return null;
    }
    // A hook can see that it caused this stint.
    const told = { ...details, stop_hook_active: before > 0 };
    const { blocked } = await this.run(event, null, told, signal);
    this.blocks[event] = blocked === null ? 0 : before + 1;
    return blocked === null ? null : tagged("reminder", { from: `${event} hook` }, blocked);
  }

  private warn(text: string): Promise<void> {
    return this.store.journal.warn(this.who.name, text);
  }

  private run(
    event: HookEvent,
    subject: string | null,
    details: HookCall["details"],
    signal: AbortSignal,
  ): Promise<HookOutcome> {
    return this.hooks.run({ event, subject, who: this.who, details, signal });
  }
}
