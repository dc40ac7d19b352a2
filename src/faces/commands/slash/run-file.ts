/** `/run`: a runbook for the team of the conversation, as `ekiden run` begins or continues one. */

import { badInput } from "../../../core/errors.ts";
import { PERSON, quote } from "../../../core/ids.ts";
import { counted } from "../../../core/views/view.ts";
import type { OwnCommands, ReplContext } from "./context.ts";

export const runFile: OwnCommands<ReplContext>[string] = {
  usage: "/run FILE.md [--fresh]",
  about:
    "put the tasks of a runbook on the board, with teammates for them; one that was run before continues",
  run: async ({ host, call }, words) => {
    const [file = "", ...more] = words.filter((word) => word !== "--fresh");
    const fresh = words.includes("--fresh");
    if (more.length > 0 || !/\.(md|markdown)$/i.test(file))
      throw badInput(
        `${quote(words.join(" "))} is not a runbook. /run takes a Markdown file (NAME.md); send a goal in words to the lead.`,
      );
    const [{ readRunbook }, { abandonRunbook, continueRunbook }] = await Promise.all([
      import("../../kit/read-runbook.ts"),
      import("../../../team/actions/runbook.ts"),
    ]);
    const runbook = await readRunbook(call, file);
    const { store } = host;
    if (fresh) await abandonRunbook(store, PERSON, runbook);
    const before = fresh ? null : await continueRunbook(store, PERSON, runbook, file);
    if (before?.kind !== "done") await host.takeUp({ runbook, fresh });
    const { length } = runbook.tasks;
    const text =
      before && before.kind !== "new"
        ? before.text
        : `${counted(length, "task")} of ${file} ${length === 1 ? "is" : "are"} on the board`;
    call.done({ data: { file, tasks: length, before: before?.kind ?? "new" }, text });
  },
};
