/**
 * Hooks: the person's own commands at fixed points of a team's work. This file knows which of them apply and what their exit
 * codes mean; `runtime/hooks.ts` runs them. Pure.
 *
 * | exit code | means                                                                                   |
 * |-----------|-----------------------------------------------------------------------------------------|
 * | 0         | go on; stdout of SessionStart and UserPromptSubmit is added to what the model reads;     |
 * |           | a JSON object on stdout is read as other harnesses read it (`decision`, `reason` …)      |
 * | 2         | blocked, stderr says why: a refused call, a refused completion, back to work             |
 * | other     | (also a time-out, or a signal) a warning in the journal, and everything goes on          |
 */
import { z } from "zod";
import { headAndTail } from "../conversation/compaction.ts";
import { lazy } from "../lazy.ts";
import { ourName } from "../tool-names.ts";

export const HOOK_EVENTS = [
  "SessionStart",
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  "Stop",
  "TeammateIdle",
  "TaskCreated",
  "TaskCompleted",
  "PreCompact",
] as const;
export type HookEvent = (typeof HOOK_EVENTS)[number];

export type Hook = {
  /** Names of tools, with `*`, separated by `|`. "" for all. */
  readonly matcher: string;
  readonly command: string;
  readonly timeoutMs: number;
};
export type HookSettings = { readonly [E in HookEvent]?: readonly Hook[] | undefined };

const TIMEOUT_MS = 60_000;
/** What a hook may hold up at most, and what a timer can hold. */
const LONGEST_MS = 3_600_000;

export const hookSettings = lazy((): z.ZodType<HookSettings> => {
  const command = z.string("a command line").min(1, "a command line");
  const matcher = z.string(`names of tools such as "bash|write_*"`).default("");
  const own = z
    .strictObject({
      matcher,
      command,
      timeoutMs: z
        .number("milliseconds")
        .positive("milliseconds")
        .max(LONGEST_MS, "at most an hour")
        .default(TIMEOUT_MS),
    })
    .transform((hook): Hook[] => [hook]);
  /** As other harnesses write it: several commands under one matcher, with a timeout in seconds. */
  const nested = z
    .strictObject({
      matcher,
      hooks: z.array(
        z.strictObject({
          type: z.literal("command", `"command": other kinds of hooks are not known here`).default("command"),
          command,
          timeout: z
            .number("seconds")
            .positive("seconds")
            .max(LONGEST_MS / 1000, "at most an hour")
            .optional(),
        }),
      ),
    })
    .transform((group): Hook[] =>
      group.hooks.map((hook) => ({
        matcher: group.matcher,
        command: hook.command,
        timeoutMs: hook.timeout === undefined ? TIMEOUT_MS : hook.timeout * 1000,
      })),
    );
  const list = z
    .array(z.union([own, nested], `hooks such as { "matcher": "bash|write_*", "command": "./check.sh" }`))
    .transform((groups): readonly Hook[] => groups.flat())
    .optional();
  return z.strictObject({
    SessionStart: list,
    UserPromptSubmit: list,
    PreToolUse: list,
    PostToolUse: list,
    Stop: list,
    TeammateIdle: list,
    TaskCreated: list,
    TaskCompleted: list,
    PreCompact: list,
  } satisfies Record<HookEvent, unknown>);
});

/** Hooks of several sources (user, project) all run, in that order: no source can take back another's. */
export function joinHooks(sources: readonly HookSettings[]): HookSettings {
  const joined: { [E in HookEvent]?: readonly Hook[] } = {};
  for (const event of HOOK_EVENTS) {
    const hooks = sources.flatMap((source) => source[event] ?? []);
    if (hooks.length > 0) joined[event] = hooks;
  }
  return joined;
}

/** The hooks of an event that apply. `subject`: the tool, or whatever else the event is about; null when there is nothing to match. */
export function matching(hooks: HookSettings, event: HookEvent, subject: string | null): readonly Hook[] {
  return (hooks[event] ?? []).filter((hook) => subject === null || matches(hook.matcher, subject));
}

function matches(matcher: string, subject: string): boolean {
  if (matcher.trim() === "") return true;
  return matcher.split("|").some((part) => {
    const name = part
      .trim()
      .replace(/^\^|\$$/g, "")
      .replaceAll(".*", "*")
      .toLowerCase();
    return fits(ourName(name), subject.toLowerCase());
  });
}

/** `*` stands for any characters. Without regular expressions: a pattern from a file must not be able to take for ever. */
function fits(pattern: string, text: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  if (rest.length === 0) return pattern === text;
  const last = rest.pop() ?? "";
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last))
    return false;
  let at = first.length;
  const end = text.length - last.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found < 0 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}

/** How one hook ended. */
export type HookResult = {
  readonly hook: Hook;
  /** Null when a signal or the time-out ended it. */
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly stdout: string;
  readonly stderr: string;
};

export type HookVerdict =
  | {
      readonly kind: "go";
      /** For the model. */
      readonly context: string;
      /** For the person. */
      readonly note?: string;
    }
  | { readonly kind: "block"; readonly feedback: string }
  | { readonly kind: "warn"; readonly text: string };

export function verdict(
  event: HookEvent,
  { hook, exitCode, timedOut, stdout, stderr }: HookResult,
): HookVerdict {
  const named = `The ${event} hook ${JSON.stringify(short(hook.command))}`;
  const silent = `${named} blocks this and does not say why.`;
  if (exitCode === 0 && !timedOut) {
    const answer = jsonAnswer(stdout);
    if (answer === null) return { kind: "go", context: ADDS.has(event) ? bounded(stdout) : "" };
    const { blocks, reason, context, note } = answer;
    if (blocks) return { kind: "block", feedback: bounded(reason) || silent };
    return {
      kind: "go",
      context: bounded(context),
      ...(note !== "" && { note: `${named} says: ${short(note)}` }),
    };
  }
  const said = stderr.trim();
  if (exitCode === 2 && !timedOut)
    return { kind: "block", feedback: bounded(said) || bounded(stdout) || silent };
  const how = timedOut
    ? `took longer than ${hook.timeoutMs / 1000} s and was ended`
    : exitCode === null
      ? "was ended by a signal"
      : `failed with exit code ${exitCode}`;
  return {
    kind: "warn",
    text: `${named} ${how}; work goes on without it.${said ? ` It said: ${short(said)}` : ""}`,
  };
}

/** What a model has to read of a hook's words; a whole test log would fill its context. */
const SAID_MAX = 10_000;
const bounded = (text: string): string => headAndTail(text.trim(), SAID_MAX, "a hook said more than is read");

const optionalText = lazy(() => z.string().catch(""));
const answerShape = lazy(() =>
  z.object({
    decision: optionalText(),
    reason: optionalText(),
    continue: z.boolean().catch(true),
    stopReason: optionalText(),
    systemMessage: optionalText(),
    additionalContext: optionalText(),
    hookSpecificOutput: z
      .object({
        permissionDecision: optionalText(),
        permissionDecisionReason: optionalText(),
        additionalContext: optionalText(),
      })
      .catch({ permissionDecision: "", permissionDecisionReason: "", additionalContext: "" }),
  }),
);
const KNOWN =
  /"(?:decision|continue|systemMessage|additionalContext|hookSpecificOutput|suppressOutput|stopReason|reason)"\s*:/;

/**
 * A hook's stdout as the JSON answer of other harnesses, or null when it is none. A hook cannot have a person asked: where it
 * wants that ("ask"), it refuses.
 */
function jsonAnswer(
  stdout: string,
): { blocks: boolean; reason: string; context: string; note: string } | null {
  if (!/^\s*\{/.test(stdout) || !KNOWN.test(stdout)) return null;
  let value: unknown;
  try {
    value = JSON.parse(stdout);
  } catch {
    return null;
  }
  const read = answerShape().safeParse(value);
  if (!read.success) return null;
  const { decision, reason, stopReason, systemMessage, additionalContext, hookSpecificOutput, ...rest } =
    read.data;
  const { permissionDecision, permissionDecisionReason } = hookSpecificOutput;
  return {
    blocks: !rest.continue || /^(?:block|deny)$/.test(decision) || /^(?:deny|ask)$/.test(permissionDecision),
    reason: permissionDecisionReason || reason || stopReason,
    context: hookSpecificOutput.additionalContext || additionalContext,
    note: systemMessage,
  };
}

const ADDS: ReadonlySet<HookEvent> = new Set(["SessionStart", "UserPromptSubmit"]);
const short = (text: string): string => (text.length > 300 ? `${text.slice(0, 299)}…` : text);

/** A hook that always blocks the end of something is obeyed this often in a row. */
export const MOST_BLOCKS = 3;

/** Counts blocks in a row, per thing that is blocked. */
export class Blocks {
  private readonly counts = new Map<string, number>();

  /** Books one more. `over`: it was blocked often enough, and is not to be asked about again. */
  block(what: string): "again" | "over" {
    const count = (this.counts.get(what) ?? 0) + 1;
    this.counts.set(what, count);
    return count >= MOST_BLOCKS ? "over" : "again";
  }

  has(what: string): boolean {
    return this.counts.has(what);
  }

  isOver(what: string): boolean {
    return (this.counts.get(what) ?? 0) >= MOST_BLOCKS;
  }

  pass(what: string): void {
    this.counts.delete(what);
  }
}
