/**
 * Hooks: commands of the person that run at fixed points of a team's work. This file decides which of them apply and what their
 * exit codes mean; `runtime/hooks/hooks.ts` runs them. Pure.
 *
 * | exit code | effect                                                                                   |
 * |-----------|------------------------------------------------------------------------------------------|
 * | 0         | work continues; stdout of SessionStart and UserPromptSubmit is added for the model;         |
 * |           | the last JSON object on stdout has the meaning it has in other harnesses (`decision` …)    |
 * | 2         | blocked, with stderr as the reason: the call or completion is refused, the member continues |
 * | other     | a warning in the journal, and work continues; the same after a time-out or a signal         |
 *
 * A PreToolUse hook that could not be started, or whose JSON cannot be read, may have been a guard: the call is refused.
 */
import { z } from "zod";
import { lazy } from "../lazy.ts";
import { textPattern } from "../paths/paths.ts";
import { jsonObjects } from "../text/json-objects.ts";
import { plainText } from "../text/plain-text.ts";
import { cutEnd, headAndTail } from "../text/valid.ts";
import { hookedAs, ourName } from "../tool-names.ts";

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
  /** Names of tools with `*`, separated by `|`. "" matches all. */
  readonly matcher: string;
  readonly command: string;
  readonly timeoutMs: number;
};
export type HookSettings = { readonly [E in HookEvent]?: readonly Hook[] | undefined };

const TIMEOUT_MS = 60_000;
/** The longest time-out of a hook. */
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
  /** The form of other harnesses: several commands under one matcher, with a time-out in seconds. */
  const nested = z
    .strictObject({
      matcher,
      hooks: z.array(
        z.strictObject({
          type: z.literal("command", `"command": other kinds of hooks are not supported`).default("command"),
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
  return z.strictObject(
    Object.fromEntries(HOOK_EVENTS.map((event) => [event, list])) as Record<HookEvent, typeof list>,
  );
});

/** Joins the hooks of several sources (user, project). All run, in that order: no source can remove those of another. */
export function joinHooks(sources: readonly HookSettings[]): HookSettings {
  const joined: { [E in HookEvent]?: readonly Hook[] } = {};
  for (const event of HOOK_EVENTS) {
    const hooks = sources.flatMap((source) => source[event] ?? []);
    if (hooks.length > 0) joined[event] = hooks;
  }
  return joined;
}

/** The hooks of an event that apply. `subject`: the tool, or another thing the event is about; null when there is nothing to match. */
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
    const pattern = textPattern(ourName(name));
    return hookedAs(subject.toLowerCase()).some((one) => pattern.test(one));
  });
}

/** The result of one hook. `notStarted`: why it did not run. */
export type HookResult = HookEnd | { readonly hook: Hook; readonly notStarted: string };
type HookEnd = {
  readonly hook: Hook;
  readonly notStarted?: undefined;
  /** Null when a signal or the time-out ended it. */
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly stdout: string;
  readonly stderr: string;
};

export type HookVerdict = Readonly<
  /** `context` is for the model, `note` for the person. */
  | { kind: "go"; context: string; note?: string }
  | { kind: "block"; feedback: string }
  | { kind: "warn"; text: string }
>;

export function verdict(event: HookEvent, result: HookResult): HookVerdict {
  const named = `The ${event} hook ${JSON.stringify(short(result.hook.command))}`;
  const unguarded = (what: string): HookVerdict | null =>
    event === "PreToolUse"
      ? { kind: "block", feedback: `${named} ${what}, and it may forbid this call.` }
      : null;
  if (result.notStarted !== undefined) {
    const what = `could not be started: ${short(result.notStarted)}`;
    return unguarded(what) ?? { kind: "warn", text: `${named} ${what} Work continues without it.` };
  }
  const { hook, exitCode, timedOut, stdout, stderr } = result;
  const silent = `${named} blocks this without a reason.`;
  if (exitCode === 0 && !timedOut) {
    const answer = jsonAnswer(stdout);
    const added = ADDS.has(event) ? bounded(stdout) : "";
    if (answer === null) return { kind: "go", context: added };
    if (answer === "unreadable") {
      const what = `printed JSON that cannot be read (${short(stdout.trim())})`;
      const note = `${named} ${what}; work continues without its answer.`;
      return unguarded(what) ?? { kind: "go", context: added, note };
    }
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
    ? `took longer than ${hook.timeoutMs / 1000} s and was stopped`
    : exitCode === null
      ? "was stopped by a signal"
      : `failed with exit code ${exitCode}`;
  return {
    kind: "warn",
    text: `${named} ${how}; work continues without it.${said ? ` It said: ${short(said)}` : ""}`,
  };
}

/** Characters of a hook's output that a model reads; a whole test log would fill its context. */
const SAID_MAX = 10_000;
const bounded = (text: string): string => headAndTail(text.trim(), SAID_MAX, "the rest of a hook's output");

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
  /\b(?:decision|continue|systemMessage|additionalContext|hookSpecificOutput|suppressOutput|stopReason|reason|permissionDecision)["']?\s*:/;

/**
 * Reads the last answer on stdout in the JSON of other harnesses, between other lines and objects; null when there is none. A hook
 * cannot make this program ask a person, so its "ask" refuses the call.
 */
function jsonAnswer(
  stdout: string,
): { blocks: boolean; reason: string; context: string; note: string } | "unreadable" | null {
  const last = jsonObjects(plainText(stdout).replaceAll("\uFEFF", "")).findLast(
    ({ text, value }) => KNOWN.test(text) || (value === undefined && /^\{\s*["']/.test(text)),
  );
  if (last === undefined) return null;
  const read = answerShape().safeParse(last.value);
  if (!read.success) return "unreadable";
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
const short = (text: string): string => (text.length > 300 ? `${cutEnd(text, 299)}…` : text);
