/** The present output of a team's commands that run on this machine in this project. */
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { readLiveOutput } from "../../adapters/live-output.ts";
import { scopeOf } from "../../adapters/store/index.ts";
import type { Settings } from "../../core/settings/settings.ts";
import type { LiveOutput } from "../../core/text/live-output.ts";
import type { Store } from "../../ports/index.ts";
import { storeUrl } from "../../project/store-address.ts";

export type LiveReader = (store: Pick<Store, "team">) => Promise<LiveOutput[]>;

export const outputFolder = (cwd: string): string => join(realpathSync(cwd), ".ekiden", "output");

/** Oldest first. It never rejects. */
export function liveReader(settings: Settings, cwd: string): LiveReader {
  const [folder, url] = [outputFolder(cwd), storeUrl(settings, cwd)];
  return ({ team }) => readLiveOutput(folder, scopeOf(url, team));
}
