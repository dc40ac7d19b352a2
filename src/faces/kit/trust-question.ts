/** Asks the person whether what a project brings may be used; without a terminal the command is refused with the list. */
import { answerWord } from "../../core/board/answer.ts";
import { bullets, list, untrusted, visible } from "../../project/trust/untrusted.ts";
import { isStore, type ProjectTrust, recordTrust } from "../../project/trust/weigh.ts";
import { askLine } from "./ask-line.ts";
import type { Terminal } from "./terminal.ts";

/** all: the command would use everything. store: it only reads or writes the team. nothing: it names what waits itself. */
export type TrustNeed = "all" | "store" | "nothing";

type Asking = {
  readonly need: TrustNeed;
  readonly json: boolean;
  readonly err: Terminal;
  readonly say: (text: string) => void;
};

/** True when the person said yes, so that the settings must be read again. @throws EkidenError `not_trusted` */
export async function settleTrust(trust: ProjectTrust, { need, json, err, say }: Asking): Promise<boolean> {
  for (const text of trust.refused) say(`not used: ${text}`);
  const { waiting } = trust;
  const wanted = need === "all" ? waiting : waiting.filter(isStore);
  if (wanted.length === 0) {
    if (waiting.length > 0)
      say(`left out until you agree (ekiden trust): ${list(trust, waiting).join("; ")}`);
    return false;
  }
  if (process.stdin.isTTY !== true || !err.isTTY || json) throw untrusted(trust);
  const { yes, closed } = await askForTrust(trust, err);
  if (yes) {
    recordTrust(trust);
    return true;
  }
  if (closed || waiting.some(isStore)) throw untrusted(trust);
  say("Continuing without them. To agree later: ekiden trust");
  return false;
}

/** `closed`: the input ended without an answer. */
export async function askForTrust(
  trust: ProjectTrust,
  err: Terminal,
): Promise<{ readonly yes: boolean; readonly closed: boolean }> {
  err.write(
    `${err.paint("warn", `This project (${visible(trust.project)}) brings:`)}\n${bullets(list(trust))}\n`,
  );
  const yes = await askLine(err, "Allow this? It is asked again when it changes. [y]es, [n]o: ", (line) => {
    const word = answerWord(line);
    return word === "yes" || word === "no" ? word === "yes" : undefined;
  });
  return { yes: yes === true, closed: yes === null };
}
