/**
 * The embedded model, which needs no key. It runs the fenced blocks of a task (sh, bash, python, node) one after the other with
 * the `bash` tool, as any model would: through permissions, hooks and timeouts. A task without such a block fails, because only
 * a real model can work on prose. Deterministic: it reads everything from the conversation, so a restart loses nothing.
 *
 * Its call ids name the step (`run-TASK-ATTEMPT-STEP-TRY`). It runs an interrupted block (crash, urgent mail) again and says so;
 * at the third interruption the task fails, because the block may be what kills the host. A step that fails for
 * an obstacle such as a full disk is repeated for three minutes: else it would fail all tasks at once.
 */

import type { REFUSALS_MAX } from "../../core/board/task.ts";
import { startAnew } from "../../core/board/worktree.ts";
import type { AssistantMessage, ToolCall } from "../../core/conversation/chat.ts";
import { readerOf } from "../../core/conversation/prompt.ts";
import type { Tag } from "../../core/conversation/tags.ts";
import { BLOCK_CALL, type Script, scriptsIn } from "../../core/project/fences.ts";
import { cutEnd } from "../../core/text/valid.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Model, ModelRequest } from "../../ports/model.ts";
import { systemClock } from "../clock.ts";
import { localReply } from "./local.ts";
import {
  currentTask,
  ENDED,
  failureOf,
  isSaid,
  isToRepeat,
  lastMail,
  lastStep,
  newsOf,
  obstacleOf,
  resultsOf,
  type Step,
  type Task,
} from "./runbook-conversation.ts";
import { blockFailure, refusal, tail } from "./runbook-reasons.ts";

type Content = AssistantMessage["content"];

const NO_BLOCK =
  "no sh block; needs a model. Give the task a fenced sh, bash, python or node block, or let a team with a model work on it.";

/** Each further pause is twice as long: three minutes together. */
const FIRST_PAUSE_MS = 3_000;

export function runbookModel({ sleep }: Pick<Clock, "sleep"> = systemClock): Model {
  return {
    spec: "runbook",
    // It reads no prose, so its conversation need not be compacted.
    window: Number.MAX_SAFE_INTEGER,
    async reply(request, options) {
      options.signal.throwIfAborted();
      const step = lastStep(request);
      const why = step && obstacleOf(step);
      if (why) {
        const waitMs = FIRST_PAUSE_MS * 2 ** (step.tries - 1);
        options.onRetry?.({ attempt: step.tries, waitMs, why });
        await sleep(waitMs, options.signal);
        options.signal.throwIfAborted();
        await options.afterWait?.();
      }
      return localReply(answer(request), options);
    },
  };
}

function answer(request: ModelRequest): Content {
  const mails = newsOf(request);
  const stop = mails.find((mail) => mail.attributes.kind === "shutdown_request");
  if (stop) {
    const answer = {
      request: stop.attributes.request ?? "",
      accept: true,
      reason: "I have nothing left to do.",
    };
    const call = callOf(request, "respond_shutdown", `stop-${answer.request}`, answer);
    if (call) return [call];
  }
  return /^You are "[^"]*", the lead of /.test(readerOf(request.messages))
    ? lead(mails, request)
    : teammate(request, mails);
}

/** Concludes when the board is quiet. Reports of teammates need no answer: an empty reply costs nothing. */
function lead(mails: readonly Tag[], request: ModelRequest): Content {
  const [head = "", ...rest] =
    mails.findLast((mail) => mail.attributes.kind === "board_quiet")?.content.split("\n") ?? [];
  const counts = /^The board is quiet: (.*?completed[^.]*)\./.exec(head)?.[1] ?? head;
  const unfinished = rest.filter((line) => line.startsWith("#")).map((line) => `- ${line}`);
  const words = [`${ENDED}${counts}.`, ...(unfinished.length > 0 ? ["Not completed:", ...unfinished] : [])];
  const text = words.join("\n");
  if (counts !== "" && !isSaid(text, request)) return say(text);
  const asked = mails.some(
    ({ attributes, content }) =>
      // The words that come with a runbook want no answer.
      attributes.from === "person" &&
      attributes.kind === "note" &&
      !content.includes("on the board already."),
  );
  return asked
    ? say(
        "Noted. The runbook model runs the fenced blocks of tasks on the board; it does nothing else. To put a runbook on the board: /run FILE.md. To talk to a model: /model",
      )
    : [];
}

function teammate(request: ModelRequest, mails: readonly Tag[]): Content {
  const task = currentTask(request);
  const next = task ? workOn(task, request) : null;
  if (next) return next;
  if (mails.some(({ attributes }) => attributes.kind === "note" || attributes.kind === "broadcast"))
    return say("Noted. I run the fenced blocks of tasks on the board.");
  return [];
}

/** The next step of a task, or null when the task has ended and its end was reported. */
function workOn(task: Task, request: ModelRequest): Content | null {
  const results = resultsOf(task, request);
  const redo = redoOf(task, request, results);
  if (typeof redo !== "string") return redo;
  // Steps that were repeated after a refused landing have a mark.
  const ended = results.get(`end${redo}`);
  const tries = (ended?.tries ?? 0) + 1;
  if (ended && !isToRepeat(ended)) {
    if (ended.result.isError && ended.result.tool === "complete_task")
      return end(task, request, "fail_task", refusal(ended.result.text), tries, redo);
    const last = request.messages.at(-1);
    if (!last?.content.some((part) => part.type === "result" && part.id === ended.result.id)) return null;
    if (ended.result.isError) return say(`Task #${task.id} could not be closed: ${ended.result.text}`);
    return say(`Task #${task.id}: ${ended.result.tool === "complete_task" ? "completed" : "failed"}.`);
  }
  const scripts = scriptsIn(task.description);
  if (scripts.length === 0) return end(task, request, "fail_task", NO_BLOCK, tries, redo);
  const planning = nextStep(task, request, scripts, results.get("plan"));
  if (planning) return planning;
  let output = "";
  let before = 0;
  for (const [i, script] of scripts.entries()) {
    const step = `${i}${redo}`;
    const ran = results.get(step);
    // A block that was changed meanwhile is run as it reads now, with all that follow it.
    if (ran?.command !== script.text || ran.at < before)
      return run(task, request, script, step, (ran?.tries ?? 0) + 1);
    before = ran.at;
    const where = scripts.length === 1 ? "the block" : `block ${i + 1} of ${scripts.length}`;
    if (isToRepeat(ran) || wasRemoved(ran)) {
      const again = `${where} of #${task.id} was interrupted${because(obstacleOf(ran))}; running it again.`;
      // A new worktree has no files of the blocks before this one.
      const first = wasRemoved(ran) ? 0 : i;
      const tries = results.get(`${first}${redo}`)?.tries ?? 0;
      return [
        ...say(again.charAt(0).toUpperCase() + again.slice(1)),
        ...run(task, request, scripts[first] ?? script, `${first}${redo}`, tries + 1),
      ];
    }
    const failure = failureOf(ran.result);
    if (failure) {
      const reason = blockFailure(failure, ran.result.text, `${where}: ${firstLine(script.source)}`);
      return end(task, request, "fail_task", reason, tries, redo);
    }
    output = ran.result.text;
  }
  return end(task, request, "complete_task", tail(output) || "done; no output", tries, redo);
}

/** The worktree was removed before or while the block ran, and is made again. */
const wasRemoved = ({ result, tries }: Step): boolean =>
  result.isError && tries < MARKS.length && /^The worktree of #\d+ was removed /.test(result.text);
const because = (obstacle: string | null): string => (obstacle ? ` (${obstacle})` : "");

/** The marks of the first run of the steps and of their repetitions; the store fails the task at its last refusal. */
const MARKS = ["", "b", "c"] as const satisfies { readonly length: typeof REFUSALS_MAX };

/**
 * This model cannot merge, but it can repeat its steps on the commits that others have landed meanwhile. Returns the call that
 * resets the worktree for that, or the mark of the steps to look at: the last one, or that whose repetition failed.
 */
function redoOf(
  task: Task,
  request: ModelRequest,
  results: ReadonlyMap<string, Step>,
): Content | (typeof MARKS)[number] {
  for (const [nth, mark] of MARKS.entries()) {
    const target = movedTarget(results.get(`end${mark}`));
    const next = MARKS[nth + 1];
    if (target === null || next === undefined) return mark;
    const step = `redo${mark}`;
    const redo = results.get(step);
    if (redo && !isToRepeat(redo)) {
      if (failureOf(redo.result)) return mark;
      continue;
    }
    const tries = (redo?.tries ?? 0) + 1;
    const call = callOf(request, "bash", idOf(task, step, tries), { command: startAnew(target) });
    if (!call) return mark;
    const text = `#${task.id} does not fit what has landed on ${target} meanwhile; repeating it on that.`;
    return [...say(text), call];
  }
  return "";
}

/** The branch whose new commits are the reason why a completion was refused; null if they are not. */
function movedTarget(ended: Step | undefined): string | null {
  const { isError = false, tool, text = "" } = ended?.result ?? {};
  if (!isError || tool !== "complete_task") return null;
  const [, conflict, red, lost] =
    /Conflicts with (\S+) in |The work was made before \d+ commits? of (\S+) that it now builds on|was removed before its work .* which builds on (\S+)\./.exec(
      text,
    ) ?? [];
  return conflict ?? red ?? lost ?? null;
}

/** Where a plan is required, the blocks are the plan. Null when they may be run; empty while the answer is missing. */
function nextStep(
  task: Task,
  request: ModelRequest,
  scripts: readonly Script[],
  submitted: { readonly tries: number } | undefined,
): Content | null {
  if (!task.needsPlan) return null;
  if (!submitted) {
    const text = scripts.map((script) => `Run:\n${script.text}`).join("\n\n");
    const call = callOf(request, "submit_plan", idOf(task, "plan", 1), { plan: text });
    return call ? [call] : null;
  }
  const answer = lastMail(request, "plan_response", `Your plan for #${task.id} `);
  if (!answer) return [];
  if (/^Your plan for #\d+ is approved/.test(answer.content)) return null;
  return end(task, request, "fail_task", firstLine(answer.content));
}

function run(task: Task, request: ModelRequest, script: Script, step: string, tries: number): Content {
  const timeout = script.timeoutMs === null ? {} : { timeout_ms: script.timeoutMs };
  const call = callOf(request, "bash", idOf(task, step, tries), { command: script.text, ...timeout });
  return call ? [call] : end(task, request, "fail_task", "the bash tool, which runs its blocks, is missing");
}

function end(
  task: Task,
  request: ModelRequest,
  tool: "complete_task" | "fail_task",
  text: string,
  tries = 1,
  redo = "",
): Content {
  const id = Number(task.id);
  const input = tool === "complete_task" ? { id, result: text } : { id, reason: text };
  const call = callOf(request, tool, idOf(task, `end${redo}`, tries), input);
  return call ? [call] : say(`Task #${task.id}: ${text}`);
}

const idOf = (task: Task, step: string, tries: number): string =>
  `${BLOCK_CALL}${task.id}-${task.attempt}-${step}-${tries}`;

/** Null when the tool is missing. */
function callOf(
  { tools }: ModelRequest,
  tool: string,
  id: string,
  input: Readonly<Record<string, unknown>>,
): ToolCall | null {
  return tools.some(({ name }) => name === tool) ? { type: "call", id, tool, input } : null;
}

const firstLine = (text: string): string => cutEnd(text.trim().split("\n")[0] ?? "", 120);
const say = (text: string): Content => [{ type: "text", text }];
