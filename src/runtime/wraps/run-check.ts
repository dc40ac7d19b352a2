/** Runs of the check of a task: at its claim and at its completion. Most tasks have none, so this is loaded with the first one that has. */
import { MEMBER_VARIABLE } from "../../core/board/member.ts";
import { type Claimed, REFUSALS_MAX } from "../../core/board/task.ts";
import { taskVariables } from "../../core/board/task-variables.ts";
import { messageOf, notPermitted } from "../../core/errors.ts";
import type { FactOf } from "../../core/event.ts";
import { doesHarm } from "../../core/plan/check-did.ts";
import {
  type Checked,
  checkNotes,
  claimNote,
  didOf,
  quotedOutput,
  refusedByCheck,
  type TouchedFile,
} from "../../core/plan/task-check.ts";
import { plainText } from "../../core/text/plain-text.ts";
import type { ShellResult, Tool } from "../../ports/index.ts";
import type { Call, Run } from "../agent/call.ts";

export type TaskCheckParts = {
  /** The tool that runs a line. */
  readonly shell: Tool<{ command: string }>;
  /** The model reads what a result says beside its output. */
  readonly isHeard: boolean;
  /** How long a check may run at a completion. */
  readonly timeoutMs: number;
  /** Whether background commands of others run in the same folder. */
  readonly othersRun: () => Promise<boolean>;
};

/** The owner waits for the check at its claim; a longer one is left to the completion. */
const CLAIM_MS = 60_000;
const KEEP_BYTES = 30_000;

export type CheckRun = {
  readonly parts: TaskCheckParts;
  readonly next: Run;
  readonly call: Call;
  readonly task: Claimed;
  readonly command: string;
};

/** A note for the owner; "" for none, and where it ran before, in an earlier process. */
export async function atClaim(run: CheckRun): Promise<string> {
  const { parts, task } = run;
  if ((await earlier(run)).length > 0) return "";
  const checked = await check(run, "claim", Math.min(CLAIM_MS, parts.timeoutMs));
  return parts.isHeard ? claimNote(task.id, checked, parts.timeoutMs) : "";
}

/** The runs of this attempt. */
async function earlier({ call, task: { id, attempt } }: CheckRun): Promise<FactOf<"task.checked">[]> {
  const runs = await call.ctx.store.journal.ofTask(id, ["task.checked"]);
  return runs.filter((run) => run.attempt === attempt);
}

/** @throws with the evidence where the check is not green */
export async function completing(run: CheckRun): Promise<string> {
  const { parts, next, call, task } = run;
  const { ctx } = call;
  const before = await earlier(run);
  const ran = await check(run, "completion", parts.timeoutMs);
  // What it removed at the claim is gone already: the owner is asked for it once.
  const isFirst = before.every(({ when }) => when === "claim");
  const gone = isFirst ? before.flatMap(({ removed = [] }) => removed) : [];
  const { changed = [], removed = [] } = ran.did;
  const all = [...removed, ...gone.filter((path) => !changed.includes(path))];
  const checked = { ...ran, did: { ...ran.did, ...(all.length > 0 && { removed: all }) } };
  if (checked.outcome === "none")
    throw notPermitted(
      `#${task.id} is not completed: its check \`${checked.command}\` could not run: ${checked.said}\nIt is still yours.`,
    );
  if (checked.outcome !== "green" || doesHarm(checked.did)) {
    const evidence = refusedByCheck(checked);
    const failure = `Its completion was refused ${REFUSALS_MAX} times. The last time its check ${evidence}`;
    const claim = { seat: ctx.seat, task: task.id, attempt: task.attempt };
    const nth = await ctx.store.board.refuse(claim, { why: "check", evidence, failure });
    if (nth >= REFUSALS_MAX) throw notPermitted(`#${task.id} has failed. ${failure}`);
    throw notPermitted(
      `#${task.id} is not completed: its check ${evidence}\nIt is still yours: fix that, then complete it again.`,
    );
  }
  const note = checkNotes(checked).join(" ");
  if (note === "") return await next(call);
  return await next({ ...call, ctx: { ...ctx, answer: (text) => ctx.answer(`${text} ${note}`) } });
}

async function check(
  { parts: { shell, othersRun }, next, call: { call, ctx }, task, command }: CheckRun,
  when: "claim" | "completion",
  timeoutMs: number,
): Promise<Checked> {
  const input = { command };
  const touched: TouchedFile[] = [];
  const isShared = await othersRun();
  let ran: ShellResult | null = null;
  const began = ctx.clock.now();
  const runs: Tool<{ command: string }> = {
    ...shell,
    // The policy may have given it another shell.
    run: async (_, { shell: own, workspace, signal }) => {
      ran = await own.run(command, {
        cwd: workspace,
        signal,
        timeoutMs,
        keepBytes: KEEP_BYTES,
        // Nobody reads the rest of its output, and nobody needs what it leaves behind.
        outputMax: KEEP_BYTES,
        endsLeft: true,
        env: { [MEMBER_VARIABLE]: ctx.self, ...taskVariables(ctx.store.team, task, command) },
      });
      return "";
    },
  };
  const access = (await shell.accessOf?.(input)) ?? shell.access;
  const refusal = await next({
    ...{ tool: runs as Tool, input, access, ctx },
    call: { ...call, tool: shell.name, input },
    onTouched: (files) => touched.push(...files),
  }).then(
    () => "",
    (error: unknown) => {
      if (ctx.signal.aborted) throw error;
      return messageOf(error);
    },
  );
  const ms = ctx.clock.now() - began;
  const isUnsure = isShared || (touched.length > 0 && (await othersRun()));
  const files = isUnsure ? touched.map((file) => ({ ...file, isShared: true })) : touched;
  const ended = outcomeOf(ran, refusal, timeoutMs);
  const { outcome, said } = ended;
  const did = didOf(files, ended);
  const { id, attempt } = task;
  await ctx.store.journal.note([
    { type: "task.checked", task: id, by: ctx.self, attempt, when, command, outcome, ms, ...did },
  ]);
  return { command, outcome, said, ms, did };
}

function outcomeOf(ran: ShellResult | null, refusal: string, timeoutMs: number): Parameters<typeof didOf>[1] {
  if (ran === null) return { outcome: "none", said: refusal, printed: 0, left: 0 };
  const { exitCode, timedOut, denial, limit, totalBytes: printed, left = 0 } = ran;
  const how = timedOut ? `not done after ${timeoutMs / 1_000} s` : `exit code ${exitCode}`;
  const notes = [limit, denial].filter((note) => note !== null).join("\n");
  const said = [quotedOutput(plainText(ran.output).trimEnd()), notes, `[${how}]`].filter(Boolean).join("\n");
  const ended = { said, printed, left };
  return { ...ended, outcome: timedOut ? "late" : exitCode === 0 ? "green" : "red" };
}
