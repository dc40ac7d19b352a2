/**
 * A model that follows a script, for tests, demos and bug reports. From code, or from a JSON file (`scripted:FILE`):
 *
 *     { "steps": [
 *       { "who": "lead", "when": "Create 3 tasks", "calls": [{ "tool": "create_task", "input": { "subject": "a" } }] },
 *       { "who": "alice", "when": "auto-claimed", "text": "On it.", "calls": [{ "tool": "complete_task", "input": { "result": "ok" } }] },
 *       { "text": "Done.", "times": "any" },
 *       { "fail": { "code": "model_overloaded", "message": "busy", "retryAfterMs": 100 } }
 *     ] }
 *
 * A call takes the first remaining step that fits: `who` is the member that asks (its system prompt names it), `when` a text
 * that the last message must contain. A step serves once, `times` times, or "any" number of times. Steps without `who` and `when`
 * are taken in order; the judge of work without an end (`who`: "judge") gets only steps that name it. A call that no step fits fails, and `finish()` fails when steps are left.
 */
import { readFile } from "node:fs/promises";
import { z } from "zod";
import type { AssistantMessage } from "../../core/conversation/chat.ts";
import { readerOf } from "../../core/conversation/prompt.ts";
import { badInput, EkidenError, messageOf } from "../../core/errors.ts";
import { lazy } from "../../core/lazy.ts";
import { JUDGE } from "../../core/progress/look.ts";
import type { Model, ModelRequest, Usage } from "../../ports/model.ts";
import { localReply } from "./local.ts";

const stepShape = lazy(() =>
  z.strictObject({
    who: z.string().optional(),
    when: z.string().optional(),
    times: z.union([z.number().int().positive(), z.literal("any")]).optional(),
    thinking: z.string().optional(),
    text: z.string().optional(),
    calls: z
      .array(
        z.strictObject({
          tool: z.string(),
          input: z.record(z.string(), z.unknown()).default({}),
          id: z.string().optional(),
        }),
      )
      .optional(),
    stop: z.enum(["length", "refused"]).optional(),
    usage: z
      .strictObject({
        inputTokens: z.number().default(0),
        cachedTokens: z.number().default(0),
        outputTokens: z.number().default(0),
      })
      .optional(),
    usd: z.number().optional(),
    fail: z
      .strictObject({
        code: z.enum(["model_auth", "model_overloaded", "model_refused", "context_overflow"]),
        message: z.string().default("scripted failure"),
        retryAfterMs: z.number().optional(),
      })
      .optional(),
  }),
);
const fileShape = lazy(() =>
  z.union([
    z.array(stepShape()),
    z.strictObject({ steps: z.array(stepShape()) }).transform((file) => file.steps),
  ]),
);

/** The type is written out, because the published types must not import zod. Omitted fields are empty: no text, calls or cost. */
export type ScriptedStep = {
  readonly who?: string | undefined;
  readonly when?: string | undefined;
  /** Default 1. */
  readonly times?: number | "any" | undefined;
  readonly thinking?: string | undefined;
  readonly text?: string | undefined;
  readonly calls?:
    | readonly {
        readonly tool: string;
        readonly input?: Readonly<Record<string, unknown>> | undefined;
        readonly id?: string | undefined;
      }[]
    | undefined;
  readonly stop?: "length" | "refused" | undefined;
  readonly usage?: Partial<Usage> | undefined;
  /** US dollars. */
  readonly usd?: number | undefined;
  readonly fail?:
    | {
        readonly code: "model_auth" | "model_overloaded" | "model_refused" | "context_overflow";
        readonly message?: string | undefined;
        readonly retryAfterMs?: number | undefined;
      }
    | undefined;
};
/** A step, or a function that computes one from the request (and is left until it was asked once). */
export type Step = ScriptedStep | ((request: ModelRequest) => ScriptedStep | Promise<ScriptedStep>);

export type ScriptedModel = Model & {
  readonly requests: readonly ModelRequest[];
  /** Steps that were never taken, as short texts. */
  left(): string[];
  /** @throws EkidenError `bad_input` when steps are left. */
  finish(): void;
};

export function scripted(steps: readonly Step[], spec = "scripted", window = 1_000_000): ScriptedModel {
  const { left, take } = queueOf(steps);
  const requests: ModelRequest[] = [];
  const calls = { made: 0 };

  return {
    spec,
    window,
    requests,
    left,
    finish() {
      const rest = left();
      if (rest.length > 0)
        throw badInput(`${spec}: ${rest.length} steps were never taken: ${rest.join("; ")}`);
    },
    async reply(request, options) {
      options.signal.throwIfAborted();
      requests.push(request);
      const taken = take(request, `${spec}: call ${requests.length}`);
      const step = typeof taken === "function" ? await taken(request) : taken;
      options.signal.throwIfAborted();
      if (step.fail) {
        const { code, message = "scripted failure", retryAfterMs } = step.fail;
        const details = retryAfterMs === undefined ? {} : { retryAfterMs };
        throw new EkidenError(code, `${spec}: ${message}`, { details });
      }
      const content = contentOf(step, calls);
      const { inputTokens = 0, cachedTokens = 0, outputTokens = 0 } = step.usage ?? {};
      const usage = { inputTokens, cachedTokens, outputTokens };
      return localReply(content, options, {
        ...(step.stop && { stop: step.stop }),
        usage,
        usd: step.usd ?? 0,
      });
    },
  };
}

function queueOf(steps: readonly Step[]) {
  const queue = steps.map((step, at) => ({
    step,
    at,
    left: typeof step === "function" ? 1 : (step.times ?? 1),
  }));
  const left = (): string[] =>
    queue.flatMap(({ step, at, left }) =>
      left !== "any" && left > 0 ? [`step ${at + 1}: ${show(step)}`] : [],
    );
  /** @throws EkidenError `model_refused` where no step fits; `call` names the call */
  const take = (request: ModelRequest, call: string): Step => {
    const found = queue.find(({ step, left }) => (left === "any" || left > 0) && fits(step, request));
    if (!found) {
      const rest = left();
      const heard = lastText(request).slice(-300);
      throw new EkidenError(
        "model_refused",
        `${call} by ${memberOf(request) ?? "nobody"} was not expected. ${rest.length === 0 ? "All steps are used up." : `Left: ${rest.join("; ")}.`} It heard last: ${heard}`,
      );
    }
    if (found.left !== "any") found.left -= 1;
    return found.step;
  };
  return { left, take };
}

/** `numbers`: the number of calls so far, which names them. */
const contentOf = (
  { thinking, text, calls = [] }: ScriptedStep,
  numbers: { made: number },
): AssistantMessage["content"] => [
  ...(thinking ? [{ type: "thinking" as const, text: thinking }] : []),
  ...(text ? [{ type: "text" as const, text }] : []),
  ...calls.map(({ tool, input = {}, id }) => {
    numbers.made += 1;
    return { type: "call" as const, id: id ?? `scripted-${numbers.made}`, tool, input };
  }),
];

/** @throws EkidenError `model_missing` for a file that cannot be read or is not a script. */
export async function scriptedFile(path: string): Promise<ScriptedModel> {
  const fail = (why: string): never => {
    throw new EkidenError("model_missing", `The script ${path} cannot be used: ${why}`);
  };
  const text = await readFile(path, "utf8").catch((error: unknown) => fail(messageOf(error)));
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    fail(`it is not JSON (${messageOf(error)}).`);
  }
  const parsed = fileShape().safeParse(json);
  return scripted(parsed.success ? parsed.data : fail(z.prettifyError(parsed.error)), `scripted:${path}`);
}

const fits = (step: Step, request: ModelRequest): boolean =>
  typeof step === "function" ||
  ((step.who === undefined ? memberOf(request) !== JUDGE : step.who === memberOf(request)) &&
    (step.when === undefined || lastText(request).includes(step.when)));

const memberOf = ({ messages }: ModelRequest): string | undefined =>
  /^You are "([^"]+)"/.exec(readerOf(messages))?.[1];

/** All of the last message, with results, and without what the conversation began with. */
const lastText = ({ messages, openingParts = 0 }: ModelRequest): string =>
  (messages.at(-1)?.content ?? [])
    .slice(messages.length === 1 ? openingParts : 0)
    .map((part) => ("text" in part ? part.text : ""))
    .join("\n");

const show = (step: Step): string => {
  if (typeof step === "function") return "a function";
  const { who, when, text, calls, fail } = step;
  const condition = [who, when && JSON.stringify(when)].filter(Boolean).join(" ");
  const says = calls?.map((call) => call.tool).join(", ") || text?.slice(0, 60) || fail?.code || "nothing";
  return condition ? `${condition}: ${says}` : says;
};
