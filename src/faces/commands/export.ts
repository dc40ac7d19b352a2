/** `ekiden export`: the team as files. */
import { resolve } from "node:path";
import { systemClock } from "../../adapters/clock.ts";
import { withTeam } from "../../project/open.ts";
import type { Invocation } from "../invocation.ts";

export async function run(
  call: Invocation,
  [dir = ""]: readonly string[],
  options: { force?: boolean },
): Promise<undefined> {
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
}
