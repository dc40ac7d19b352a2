/** Background commands: they run while the member does something else, and mail tells it how they ended. */
import { z } from "zod";
import { type Job, showJob } from "../core/board/job.ts";
import { badInput, notPermitted, toolFailed } from "../core/errors.ts";
import { jobId, LEAD } from "../core/ids.ts";
import type { JobControl, ToolContext } from "../ports/index.ts";
import { defineTool } from "./define.ts";
import { maybe, text } from "./inputs.ts";

/** `bash` with `run_in_background`. Resolves when the command has started. */
export async function startJob(ctx: ToolContext, command: string): Promise<string> {
  if (command.trim() === "") throw badInput("The command is empty.");
  ctx.signal.throwIfAborted();
  const job = await control(ctx).start(ctx.seat, command, ctx.workspace, ctx.shell);
  return `Started ${showJob(job.id)}, process group ${job.pid}. Mail tells you when it ends; until then do something else or idle. Output: ${job.outputPath}`;
}

const TAIL_BYTES = 4_000;
const TAIL_MAX_BYTES = 60_000;

export const checkBackground = defineTool({
  name: "check_background",
  description: "State and output of a job. Without id: your jobs.",
  access: "read",
  membersOnly: true,
  watches: true,
  input: () => z.strictObject({ id: maybe.text, tail_bytes: maybe.whole.meta({ untold: true }) }),
  subject: ({ id }) => id ?? "",
  reads: () => [],
  run: async ({ id, tail_bytes: tailBytes = TAIL_BYTES }, ctx) => {
    if (id === undefined) return await listing(ctx);
    const { job, tail, totalBytes, alive } = await control(ctx).look(
      jobId(id),
      Math.min(TAIL_MAX_BYTES, Math.max(1, tailBytes)),
    );
    const shown = Buffer.byteLength(tail);
    const left = totalBytes > shown ? ` (the last ${shown} of ${totalBytes} bytes)` : "";
    return `${line(job, ctx)}${alive && job.state !== "running" ? ", but its processes still run" : ""}\nOutput${left} from ${job.outputPath}:\n${tail.trimEnd() || "(none)"}`;
  },
});

export const stopBackground = defineTool({
  name: "stop_background",
  description: "End a background job.",
  access: "team",
  input: () => z.strictObject({ id: text }),
  subject: ({ id }) => id,
  run: async ({ id }, ctx) => {
    const { job } = await control(ctx).look(jobId(id), 1);
    if (job.owner !== ctx.self && ctx.kind !== "lead")
      throw notPermitted(`${showJob(job.id)} is ${job.owner}'s. Ask ${job.owner} or ${LEAD} to stop it.`);
    const { state } = await control(ctx).stop(job.id, ctx.self);
    return state === "stopped" || state === "unknown"
      ? `${showJob(job.id)} is stopped, with all its processes.`
      : `${showJob(job.id)} had ended before: ${state}.`;
  },
});

/** The lead sees the jobs of all members. */
async function listing({ store, self, kind, clock }: ToolContext): Promise<string> {
  const jobs = await store.jobs.list(kind === "lead" ? null : self, 20);
  if (jobs.length === 0) return "No background jobs.";
  return jobs.map((job) => line(job, { self, clock })).join("\n");
}

function line(job: Job, { self, clock }: Pick<ToolContext, "self" | "clock">): string {
  const seconds = Math.max(0, Math.round(((job.endedAt ?? clock.now()) - job.startedAt) / 1000));
  const how = job.exitCode === null ? job.state : `${job.state} (exit code ${job.exitCode})`;
  const whose = job.owner === self ? "" : ` of ${job.owner}`;
  return `${showJob(job.id)}${whose}: ${how}, ${seconds} s: ${job.command}`;
}

function control({ jobs }: ToolContext): JobControl {
  if (jobs) return jobs;
  throw toolFailed("Background commands are not possible here. Run it in the foreground.");
}
