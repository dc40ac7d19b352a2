/**
 * The members in whose shells this program runs. A command line can drop or change a variable (`env -u EKIDEN_MEMBER …`), but not the
 * environment that the processes around it were started with. In the sandbox this is complete: process 1 of its process ids is the
 * member's. Without it, a process that leaves its parents and its session is not found.
 */
import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { textIn } from "../adapters/small-files.ts";
import { MEMBER_VARIABLE } from "../core/board/member.ts";
import { notPermitted } from "../core/errors.ts";

export type MemberShell = {
  readonly member: string;
  /** The mark of the command (`EKIDEN_JOB`), which names the process of its host. */
  readonly job: string;
};

const CHAIN_MAX = 64;

/** The innermost first; [] in a shell of the person. */
export function memberShells(env: NodeJS.ProcessEnv): MemberShell[] {
  const around = [...ancestors()].map(environmentOf);
  return [env, ...around].flatMap((one) => {
    // Process 1 of a sandbox that was started in advance has the mark without the number of a command.
    const { [MEMBER_VARIABLE]: member = "", EKIDEN_SPARE: spare = "", EKIDEN_JOB: job = spare } = one;
    return member === "" && job === "" ? [] : [{ member, job }];
  });
}

/**
 * A database needs writing also to be read, and the sandbox keeps it from every command.
 * @throws EkidenError `not_permitted` in the shell of a member whose sandbox closes the project's folder
 */
export function refuseInSandbox(cwd: string, env: NodeJS.ProcessEnv): void {
  try {
    accessSync(join(cwd, ".ekiden"), constants.W_OK);
  } catch (error) {
    const shells = (error as NodeJS.ErrnoException).code === "EROFS" ? memberShells(env) : [];
    if (shells.length === 0) return;
    throw notPermitted(
      `this is a command of ${shells.at(-1)?.member || "a member"} in the sandbox, which cannot open the store of the team. Use your tools: list_tasks and get_task to look, create_task to add a task, send_message to write to somebody.`,
    );
  }
}

/** Guards an act that only a person may do. @throws EkidenError `not_permitted` in the shell of a member */
export function refuseMember(env: NodeJS.ProcessEnv, why: string): void {
  if (memberShells(env).length > 0) throw notPermitted(why);
}

/** The parents and the leaders of their sessions, without repetition. Only Linux tells their environments. */
function ancestors(): Set<number> {
  const found = new Set<number>();
  for (let pid = process.pid, i = 0; pid > 0 && i < CHAIN_MAX; i += 1) {
    // After the name in brackets: state, parent, group, session.
    const [, parent = "0", , session = "0"] = textIn(`/proc/${pid}/stat`)
      .replace(/^.*\) /s, "")
      .split(" ");
    if (pid !== process.pid) found.add(pid);
    if (Number(session) > 0) found.add(Number(session));
    pid = Number(parent);
  }
  found.delete(process.pid);
  return found;
}

const environmentOf = (pid: number): Record<string, string> =>
  Object.fromEntries(
    textIn(`/proc/${pid}/environ`)
      .split("\0")
      .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
