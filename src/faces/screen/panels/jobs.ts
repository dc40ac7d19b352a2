/** Background commands: who started them, their state, and the end of the output of those that run on this machine. */
import { tailOf } from "../../../adapters/tail.ts";
import type { Job } from "../../../core/job.ts";
import { showJob } from "../../../core/job.ts";
import { colourOf } from "../../../core/views/identity.ts";
import { span } from "../../../core/views/view.ts";
import { lastLines, oneLine, shortened, spread } from "../style.ts";
import type { Drawn, Panel, PanelInput } from "./panel.ts";

const SHOWN = 20;
const TAIL_BYTES = 2_000;
const TAIL_LINES = 3;

export const jobsPanel: Panel = {
  title: "jobs",
  read: async ({ store, style, now }: PanelInput): Promise<Drawn> => {
    const { paint } = style;
    const jobs = (await store.jobs.list(null, SHOWN)).reverse();
    const shown = await Promise.all(
      jobs.map(async (job) => ({ job, tail: job.state === "running" ? await linesOf(job) : [] })),
    );
    return (width) =>
      shown.length === 0
        ? [paint("dim", "No background commands.")]
        : shown.flatMap(({ job, tail }) => [
            spread(
              `${paint(job.state === "running" ? "busy" : "dim", job.state === "running" ? "▶" : "○")} ${showJob(job.id)} ${paint(colourOf(job.owner), job.owner)}  ${oneLine(job.command)}`,
              paint(
                "dim",
                `${job.state}${job.exitCode ? ` (${job.exitCode})` : ""} ${span((job.endedAt ?? now) - job.startedAt)}`,
              ),
              width,
            ),
            ...tail.map((line) => paint("dim", shortened(`  │ ${line}`, width))),
          ]);
  },
};

/** The file has a random name: it is not there for a job of another machine. */
const linesOf = async ({ outputPath }: Job): Promise<string[]> =>
  lastLines(await tailOf(outputPath, TAIL_BYTES), TAIL_LINES);
