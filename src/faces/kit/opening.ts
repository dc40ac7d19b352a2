/** The first words of a team at work: its models, its mode, its folder, and the sandbox of its commands. */
import { homedir } from "node:os";
import type { Member } from "../../core/board/member.ts";
import { fromHome } from "../../core/paths/paths.ts";
import { commandWords, MODE_WORDS, type Mode } from "../../core/permission/mode.ts";
import { agentLine } from "../../core/settings/agent-line.ts";
import { isPriced } from "../../core/settings/models.ts";
import type { Limits } from "../../host/money/spent.ts";
import type { TeamHost } from "../../host/team-host.ts";

/** It only runs the steps of runbooks. */
const NO_MODEL = "runbook";

/** To be called when the members have started. `raise`: what raises the limit of money here. */
export async function opening(host: TeamHost, cwd: string, raise: string): Promise<string[]> {
  const { models, mode, store } = host;
  const [sandbox, unasked] = await Promise.all([host.sandbox(), host.runsUnasked()]);
  const members = (await store.roster.members()).map((one) => ({
    ...one,
    model: models.get(one.name) ?? one.model,
  }));
  const limit = limitLine(members, host.spending.limits, raise);
  const programs = members.filter(({ model }) => agentLine(model) !== null).map(({ name }) => name);
  return [
    openingLine(members, cwd, homedir()),
    modeLine(mode, unasked),
    sandbox,
    ...(programs.length === 0
      ? []
      : [`Agent programs reach all hosts but this machine: ${programs.join(", ")}.`]),
    ...(limit === null ? [] : [limit]),
  ];
}

/** "Stops at $20.00; --budget-usd raises it.", where `raise` is "--budget-usd"; null where no model costs money, or nothing stops it. */
export function limitLine(
  members: readonly Pick<Member, "model">[],
  { usd, mostUsd }: Pick<Limits, "usd" | "mostUsd">,
  raise: string,
): string | null {
  if (!Number.isFinite(mostUsd) || !members.some(({ model }) => isPriced(model))) return null;
  const used = usd > 0 ? ` ($${usd.toFixed(2)} are used)` : "";
  return `Stops at $${mostUsd.toFixed(2)}${used}; ${raise} raises it.`;
}

/** "You are asked before files are edited. Commands run in the sandbox without asking." */
export const modeLine = (mode: Mode, unasked: boolean): string =>
  [MODE_WORDS[mode], commandWords(mode, unasked)]
    .filter((words) => words !== "")
    .map((words) => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`)
    .join(" ");

/** "Team of 4 on anthropic/claude-sonnet-5-5 · ~/project" */
export function openingLine(members: readonly Member[], cwd: string, home: string): string {
  const here = members.filter(({ activity }) => activity.phase !== "shutdown");
  const models = [...new Set(here.map(({ model }) => model))].filter((model) => model !== "");
  const team = here.length === 1 ? "The lead alone" : `Team of ${here.length}`;
  const isWithout = models.every((model) => model === NO_MODEL);
  const who = isWithout ? "No model: only runbooks are run" : `${team} on ${models.join(", ")}`;
  return `${who} · ${fromHome(cwd, home)}`;
}
