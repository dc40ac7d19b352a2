/** `ekiden export`: the team as files, and with --follow at each change of the board. */

import { relative, resolve, sep } from "node:path";
import { systemClock } from "../../../adapters/clock.ts";
import type { OutageWatch } from "../../../adapters/store/databases/outage.ts";
import { badInput, isEkidenError } from "../../../core/errors.ts";
import { quote } from "../../../core/ids.ts";
import { jsonLine } from "../../../core/text/hidden.ts";
import type { Store } from "../../../ports/index.ts";
import { withTeam } from "../../../project/open.ts";
import { follow } from "../../../team/queries/journal.ts";
import { followUntilInterrupted, type Invocation } from "../../kit/invocation.ts";
import type { Run } from "../entry.ts";

/** Changes in quick succession are one. */
const GAP_MS = 100;

export const run: Run<{ force?: boolean; follow?: boolean }> = async (call, [dir = ""], options) => {
  const target = resolve(call.cwd, dir);
  if (
    relative(call.cwd, target)
      .split(sep)
      .some((part) => /^\.git$/i.test(part))
  )
    throw badInput(`${quote(dir)} is inside a folder of git. Give another folder, such as board.`);
  const force = options.force === true;
  if (options.follow) return await followed(call, target, force);
  const { writeLayouts } = await import("../../../adapters/layout/write.ts");
  await withTeam(call, "look", async (store) => {
    const written = await writeLayouts(store, target, { force, now: systemClock.now() });
    if (call.json) call.out.write(jsonLine({ dir: target, ...written }));
    else call.out.write(`${written.entries.map((name) => `${dir}/${name}`).join("\n")}\n`);
  });
};

async function followed(call: Invocation, dir: string, force: boolean): Promise<undefined> {
  const { FollowedLayouts, isShown } = await import("../../../adapters/layout/follow.ts");
  const over = new AbortController();
  const outage: OutageWatch = {
    onAway: (why) => call.say(`${why} The files are not updated until it is back.`),
    onBack: () => call.say("The store is available again."),
    giveUp: over.signal,
  };
  const write = async (store: Store, signal: AbortSignal): Promise<void> => {
    signal.addEventListener("abort", () => over.abort());
    const from = await store.journal.end();
    const files = await FollowedLayouts.begin(store, dir, { force, tell: (text) => call.say(text) });
    call.say(`Writing the board of team "${store.team}" to ${dir} on each change (Ctrl-C ends it).`);
    for await (const events of follow(store, from, signal)) {
      if (!events.some(isShown)) continue;
      await files.write();
      await systemClock.sleep(GAP_MS, signal);
    }
  };
  await withTeam(
    call,
    "look",
    (store) =>
      followUntilInterrupted(call, async (signal) => {
        await write(store, signal).catch((error: unknown) => {
          if (!signal.aborted || !isEkidenError(error, "store_unavailable")) throw error;
        });
      }),
    { outage },
  );
}
