/**
 * The surroundings of agents: the date, the system, the state of the repository and the project's commands. Read once a day for all members, so
 * that what they share of their prompts is the same text. Nothing here is for a model that reads no prose: such a start is not delayed.
 */
import { existsSync } from "node:fs";
import { arch, release, type } from "node:os";
import { delimiter, dirname, join } from "node:path";
import type { Confines } from "../adapters/git/git.ts";
import { textIn } from "../adapters/small-files.ts";
import { readsProse } from "../core/conversation/compaction.ts";
import type { Environment } from "../core/conversation/prompt.ts";
import { escapeTags } from "../core/conversation/tags.ts";
import { COMMAND_FILES, commandsIn } from "../core/project/commands.ts";
import { oneLine } from "../core/text/one-line.ts";
import type { Clock, Model } from "../ports/index.ts";

export type Surroundings = {
  readonly environment: Environment;
  /** Lines about the project; "" when there is nothing to say. Others can edit what they say. */
  readonly project: string;
};

export type SurroundingsOf = (model: Pick<Model, "window">) => Promise<Surroundings>;

export type Place = {
  readonly workspace: string;
  readonly env: Readonly<Record<string, string>>;
  /** The repository's own configuration may run programs. */
  readonly trusted: boolean;
  readonly sandbox: Confines | null;
  readonly clock: Pick<Clock, "now">;
};

/** A start does not wait longer for git. */
const GIT_MS = 2_000;
const FILE_MAX = 200_000;

export function surroundingsOf(place: Place): SurroundingsOf {
  const { workspace, clock } = place;
  const environment: Environment = { workspace };
  let known: { readonly date: string; readonly read: Promise<Surroundings> } | null = null;
  return async (model) => {
    if (!readsProse(model.window)) return { environment, project: "" };
    const date = dayOf(new Date(clock.now()));
    if (known?.date !== date)
      known = {
        date,
        read: projectLines(place).then((project) => ({
          environment: { workspace, date, platform: `${type()} ${release()} ${arch()}`, shell: "Bash" },
          project,
        })),
      };
    return await known.read;
  };
}

/** The day in the person's own time zone. */
const dayOf = (at: Date): string =>
  [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((n) => String(n).padStart(2, "0")).join("-");

async function projectLines(place: Place): Promise<string> {
  const [git, commands] = await Promise.all([gitLine(place), projectCommands(place.workspace)]);
  const told = commands.length > 0 ? [`Commands of this project: ${commands.join(", ")}.`] : [];
  return [...git, ...told].join("\n");
}

/** Branch and state when the day's first member began. The name of a branch is text from elsewhere. */
async function gitLine({ workspace, env, trusted, sandbox }: Place): Promise<string[]> {
  // Two processes less for a start in a folder that is in no repository.
  const ceilings = (env.GIT_CEILING_DIRECTORIES ?? "").split(delimiter);
  if (!isInRepository(workspace, ceilings)) return [];
  const { Git } = await import("../adapters/git/git.ts");
  const ran = await new Git(env, sandbox, trusted)
    .tryWith({ timeoutMs: GIT_MS }, workspace, "status", "--porcelain", "--branch")
    .catch(() => null);
  if (ran?.code !== 0) return [];
  const [head = "", ...changes] = ran.out.split("\n").filter(Boolean);
  const branch = head.replace(/^## (?:No commits yet on )?/, "").replace(/\.\.\..*$/, "");
  const state = changes.length === 0 ? "clean" : `${changes.length} changed or new files`;
  return [escapeTags(`Git when this run began: branch ${oneLine(branch, 80)}, ${state}.`)];
}

/** `ceilings`: folders in which git looks for no repository of a folder below them. */
function isInRepository(folder: string, ceilings: readonly string[]): boolean {
  if (existsSync(join(folder, ".git"))) return true;
  const above = dirname(folder);
  return above !== folder && !ceilings.includes(above) && isInRepository(above, ceilings);
}

async function projectCommands(workspace: string): Promise<string[]> {
  const files = COMMAND_FILES.flatMap((file) => {
    const text = textIn(join(workspace, file));
    return text === "" || text.length > FILE_MAX ? [] : [[file, text] as const];
  });
  return commandsIn(Object.fromEntries(files));
}
