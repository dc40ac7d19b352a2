/** `ekiden ps`: on a terminal live, with the questions to answer, elsewhere as a table. */
import type { Run } from "../commands/entry.ts";
import { prepare } from "../kit/invocation.ts";
import { wantsScreen } from "../kit/wanted.ts";

export const run: Run<{ all?: boolean }> = async (call, args, options) => {
  if (!wantsScreen(call)) return await (await import("../commands/ps.ts")).run(call, args, options);
  const { PsScreen } = await import("../screen/ps.ts");
  for (;;) {
    const chosen = await new PsScreen(call, options.all === true).run();
    if (chosen === null) return undefined;
    const there = prepare({ cwd: chosen.cwd, team: chosen.team }, "all", call.env);
    await (await import("./talk.ts")).run({ ...there, words: [] });
  }
};
