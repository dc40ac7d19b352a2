/** `ekiden sync`: keeps a folder of task files and the board equal, until it is told to end. */
import { resolve } from "node:path";
import { PERSON } from "../../core/ids.ts";
import { withTeam } from "../../project/open.ts";
import { storeUrl } from "../../project/store-address.ts";
import { notDecidedBy } from "../../team/actions/tasks.ts";
import { actorOf } from "../../team/actor.ts";
import { followUntilInterrupted } from "../invocation.ts";
import { clean } from "../terminal/terminal.ts";
import type { Run } from "./entry.ts";

export const run: Run<{ readonly once?: boolean }> = async (call, [dir = ""], { once = false }) => {
  const { KeptFolder } = await import("../../host/sync/keep.ts");
  const url = storeUrl(await call.settings(), call.cwd);
  const tell = (text: string): void => {
    if (call.json) call.out.write(`${JSON.stringify({ at: Date.now(), type: "sync.said", text })}\n`);
    else call.out.write(`${clean(text)}\n`);
  };
  const keep = async (store: Parameters<Parameters<typeof withTeam>[2]>[0]): Promise<number | undefined> => {
    const actor = await actorOf(call, store);
    if (actor !== PERSON)
      throw notDecidedBy(actor, "Use the tools of the board: a file counts like what they do.");
    const folder = new KeptFolder({ store, url, dir: resolve(call.cwd, dir), tell });
    try {
      if (once) return (await folder.once()) > 0 ? 1 : undefined;
      call.say(`Keeps ${dir} and the board of team "${store.team}" equal (Ctrl-C ends it).`);
      return await followUntilInterrupted(call, (signal) => folder.run(signal));
    } finally {
      folder.close();
    }
  };
  return await withTeam(call, "make", keep, { signs: false });
};
