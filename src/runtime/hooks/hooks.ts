/** Runs the person's hooks. `core/project/hooks.ts` says what their answers mean; the callers of this file act on them. */
import type { Profile } from "../../core/board/member.ts";
import { messageOf, notPermitted } from "../../core/errors.ts";
import {
  type Hook,
  type HookEvent,
  type HookResult,
  type HookSettings,
  matching,
  verdict,
} from "../../core/project/hooks.ts";
import type { Shell, Store } from "../../ports/index.ts";

export type HookParts = {
  readonly hooks: HookSettings;
  readonly shell: Shell;
  readonly store: Store;
  /** Where hooks run: the project's folder. */
  readonly cwd: string;
};

/** The outcome of all hooks of one event. The first hook that blocks is the last that runs. */
export type HookOutcome = { readonly blocked: string | null; readonly context: string };

export type HookCall = {
  readonly event: HookEvent;
  /** Matchers are compared with this; null if the event has nothing to match. */
  readonly subject: string | null;
  readonly who: Pick<Profile, "name" | "kind" | "role"> | null;
  /** Further fields of the input on stdin. */
  readonly details: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
};

/** The bytes of a hook's output that are kept. */
const KEEP_BYTES = 200_000;

export class Hooks {
  private readonly parts: HookParts;

  constructor(parts: HookParts) {
    this.parts = parts;
  }

  has(event: HookEvent): boolean {
    return (this.parts.hooks[event]?.length ?? 0) > 0;
  }

  /** Rejects with the signal's reason when it aborts; a hook that cannot run raises a warning. */
  async run({ event, subject, who, details, signal }: HookCall): Promise<HookOutcome> {
    const { hooks, store, cwd } = this.parts;
    const { team, journal } = store;
    const member = who && { member: who.name, kind: who.kind, role: who.role, teammate_name: who.name };
    const input = { event, hook_event_name: event, team, team_name: team, cwd, ...member, ...details };
    const context: string[] = [];
    for (const hook of matching(hooks, event, subject)) {
      const judged = verdict(event, await this.one(hook, input, signal));
      if (judged.kind === "block") return { blocked: judged.feedback, context: "" };
      const warning = judged.kind === "warn" ? judged.text : judged.note;
      if (warning) await journal.warn(who?.name ?? null, warning);
      if (judged.kind === "go" && judged.context !== "") context.push(judged.context);
    }
    return { blocked: null, context: context.join("\n") };
  }

  /**
   * A prompt of the person with what hooks add to it. To be called before the prompt is mailed.
   * @throws EkidenError `not_permitted` with the hook's words
   */
  async submit(prompt: string, to: string, signal: AbortSignal): Promise<string> {
    const call = {
      event: "UserPromptSubmit",
      subject: null,
      who: null,
      details: { prompt, to },
      signal,
    } as const;
    const { blocked, context } = await this.run(call);
    if (blocked !== null) throw notPermitted(`A hook refuses this: ${blocked}`);
    return context === "" ? prompt : `${prompt}\n\n[added by a hook]\n${context}`;
  }

  private async one(hook: Hook, input: unknown, signal: AbortSignal): Promise<HookResult> {
    const { shell, cwd } = this.parts;
    try {
      const { exitCode, timedOut, output, errors } = await shell.run(hook.command, {
        cwd,
        signal,
        timeoutMs: hook.timeoutMs,
        input: JSON.stringify(input),
        keepBytes: KEEP_BYTES,
        errorsApart: true,
        env: { EKIDEN_PROJECT_DIR: cwd, CLAUDE_PROJECT_DIR: cwd },
      });
      return { hook, exitCode, timedOut, stdout: output, stderr: errors };
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      return { hook, notStarted: messageOf(error) };
    }
  }
}
