/** Background commands: who started them, their state, and the end of the output of those that run on this machine. */
import { tailOf } from "../../../adapters/tail.ts";
import { type Job, showJob } from "../../../core/board/job.ts";
import { span } from "../../../core/views/view.ts";
import { colourOf } from "../draw/colours.ts";
import type { Row } from "../draw/list.ts";
import { lastLines, oneLine, type Style, safe, shortened, spread } from "../draw/style.ts";
import type { Listed, Panel, PanelInput } from "./panel.ts";

const SHOWN = 20;
const TAIL_BYTES = 2_000;
const TAIL_LINES = 3;
/** The bytes of output that are read. */
const OUTPUT_BYTES = 16_000;

export const jobsPanel: Panel = {
  title: "jobs",
  read: async ({ store, style, now }: PanelInput): Promise<Listed> => {
    const jobs = (await store.jobs.list(null, SHOWN)).reverse();
    const rows = jobs.map(async (job) => jobRow(job, await tailLines(job), style, now));
    return { empty: "No background commands.", rows: await Promise.all(rows) };
  },
};

function jobRow(job: Job, tail: readonly string[], { paint }: Style, now: number): Row {
  const { id, owner, command, state, exitCode, startedAt, endedAt } = job;
  const isRunning = state === "running";
  const mark = paint(isRunning ? "busy" : "dim", isRunning ? "▶" : "○");
  return {
    id: String(id),
    text: `${showJob(id)} ${owner} ${command} ${state}`,
    actions: [
      {
        key: "enter",
        word: "output",
        show: async () =>
          `${paint("strong", oneLine(command))}\n${safe(await tailOf(job.outputPath, OUTPUT_BYTES)).trimEnd() || paint("dim", "No output of it is kept on this machine.")}`,
      },
      { key: "o", word: "owner", line: `/to ${owner}` },
    ],
    lines: (width) => [
      spread(
        `${mark} ${showJob(id)} ${paint(colourOf(owner), owner)}  ${oneLine(command)}`,
        paint("dim", `${state}${exitCode ? ` (${exitCode})` : ""} ${span((endedAt ?? now) - startedAt)}`),
        width,
      ),
      ...tail.map((line) => paint("dim", shortened(`  │ ${line}`, width))),
    ],
  };
}

/** The file has a random name: it is not there for a job of another machine. */
const tailLines = async ({ state, outputPath }: Job): Promise<string[]> =>
  state === "running" ? lastLines(await tailOf(outputPath, TAIL_BYTES), TAIL_LINES) : [];
