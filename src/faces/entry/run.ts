/** `ekiden run`: a team works on a goal or a runbook until the board is done. */

import { statSync } from "node:fs";
import { resolve } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { badInput, orElse } from "../../core/errors.ts";
import { PERSON, quote } from "../../core/ids.ts";
import { embeddedFor } from "../../core/project/runbook.ts";
import { withTeam } from "../../project/open.ts";
import { attachedTo } from "../../team/actions/mail.ts";
import type { Continued } from "../../team/actions/runbook.ts";
import type { Run } from "../commands/entry.ts";
import type { Invocation } from "../kit/invocation.ts";
import { readRunbook } from "../kit/read-runbook.ts";
import { endedBefore, hostTeam } from "../run/run-team.ts";
import { DISPLAYS } from "./displays.ts";

type Options = { fresh?: boolean; web?: boolean; detach?: boolean };

export const run: Run<Options> = async (call, args, { fresh = false, web = false, detach = false }) => {
  const [file] = args;
  if (detach) return await inBackground(call, file);
  if (args.length === 1 && file !== undefined && /\.(md|markdown)$/i.test(file))
    return await runRunbook(call, file, fresh, web);
  if (fresh) throw badInput("--fresh is for runbooks, such as: ekiden run plan.md --fresh");
  if (args.length === 1 && file !== undefined && file !== "-") refusePath(call, file);
  const goal = (args.join(" ") === "-" ? await textOf(process.stdin) : args.join(" ")).trim();
  if (goal === "")
    throw badInput('the goal is empty. Say what to do, such as: ekiden run "Fix the failing tests"');
  // A goal from stdin may be the text of somebody else.
  const images = file === "-" ? [] : await attachedTo(goal, call.cwd);
  return await hostTeam(call, { goal, images }, { web, displays: DISPLAYS });
};

async function inBackground(call: Invocation, file: string | undefined): Promise<number> {
  if (file === "-")
    throw badInput(
      "--detach leaves no standard input to read the goal from. Write it on the command line, or into a runbook.",
    );
  return await (await import("../run/detach.ts")).detach(call);
}

async function runRunbook(call: Invocation, file: string, fresh: boolean, web: boolean): Promise<number> {
  const runbook = await readRunbook(call, file);
  const options = { report: runbook.report, web, displays: DISPLAYS, embedded: embeddedFor(runbook) };
  const { abandonRunbook, continueRunbook } = await import("../../team/actions/runbook.ts");
  const existing = withTeam(call, "use", async (store): Promise<Continued> => {
    if (!fresh) return await continueRunbook(store, PERSON, runbook, file);
    await abandonRunbook(store, PERSON, runbook);
    return { kind: "new" };
  });
  const before = await orElse(existing, "not_found", { kind: "new" } as const);
  if (before.kind === "new") return await hostTeam(call, { runbook, fresh }, options);
  call.say(before.text);
  if (before.kind === "continued") return await hostTeam(call, { resume: true, of: runbook }, options);
  return endedBefore(call, { failed: 0, completed: before.completed, cancelled: before.cancelled });
}

/** A path is not a goal: a team would be paid for guessing what to do with it. @throws EkidenError `bad_input` */
function refusePath(call: Invocation, path: string): void {
  const stat = isName(path) ? statSync(resolve(call.cwd, path), { throwIfNoEntry: false }) : undefined;
  const shown = /^[\w./-]+$/.test(path) ? path : quote(path);
  const refuse = (text: string): never => {
    throw badInput(`${quote(path)} ${text}`);
  };
  if (stat?.isDirectory())
    refuse(
      `is a folder, and not a goal. Say what is to be done there, such as: ekiden run "Tidy up ${shown}"; to work in it: ekiden --cwd ${shown} run GOAL`,
    );
  if (stat)
    refuse(
      `is a file, but not a runbook: that is a Markdown file, NAME.md. To use its text as the goal: ekiden run - < ${shown}`,
    );
  if (isName(path) && /^(?:(?:\.{0,2}|~)\/\S*|\S+\.(?:txt|json|ya?ml|toml|pdf))$/i.test(path))
    refuse("is a path that does not exist, and not a goal. Give a runbook (NAME.md), or a goal in words.");
}

/** Anything longer or with line breaks is a goal, and may be too long for the file system to look up. */
const isName = (text: string): boolean => text !== "" && text.length <= 255 && !/[\n\0]/.test(text);
