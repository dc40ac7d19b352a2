/** `ekiden export`: the team as files. */
import { resolve } from "node:path";
import { systemClock } from "../../adapters/clock.ts";
import { withTeam } from "../../project/open.ts";
import type { Run } from "./entry.ts";

export const run: Run<{ force?: boolean }> = async (call, [dir = ""], options) => {
  const { writeLayouts } = await import("../../adapters/layout/write.ts");
  await withTeam(call, "look", async (store) => {
    const target = resolve(call.cwd, dir);
    const written = await writeLayouts(store, target, {
      force: options.force === true,
      now: systemClock.now(),
    });
    if (call.json) call.out.write(`${JSON.stringify({ dir: target, ...written })}\n`);
    else call.out.write(`${written.entries.map((name) => `${dir}/${name}`).join("\n")}\n`);
  });
};
