/** The folder of task files that the setting `sync` names, kept equal to the board while this process runs the team. */
import { resolve } from "node:path";
import { isEkidenError, messageOf } from "../core/errors.ts";
import { storeUrl } from "../project/store-address.ts";
import type { Parts } from "./parts.ts";
import type { KeptFolder } from "./sync/keep.ts";

/** Another process may keep the folder, and end. */
const RETRY_MS = 10_000;

type FolderParts = Pick<Parts, "settings" | "store" | "workspace" | "clock">;

/**
 * Resolves after the first look, so that a team begins with the tasks of the files; the promise inside ends after the signal
 * and a last look. Faults are in the journal. @throws EkidenError `bad_input` when the folder cannot be used
 */
export async function keepTaskFolder(
  { settings, store, workspace, clock }: FolderParts,
  signal: AbortSignal,
): Promise<{ readonly ended: Promise<void> }> {
  const { sync } = settings;
  if (sync === undefined) return { ended: Promise.resolve() };
  const { KeptFolder } = await import("./sync/keep.ts");
  const tell = (text: string, isNews = false): void => {
    if (!isNews) void store.journal.warn(null, text).catch(() => {});
  };
  const url = storeUrl(settings, workspace);
  let said = "";
  const open = (): KeptFolder | null => {
    try {
      return new KeptFolder({ store, url, dir: resolve(workspace, sync), tell });
    } catch (error) {
      if (!isEkidenError(error) || error.details.held !== true) throw error;
      if (said !== error.message) tell(error.message);
      said = error.message;
      return null;
    }
  };
  let folder = open();
  await folder?.once();
  const keep = async (): Promise<void> => {
    while (!signal.aborted) {
      folder ??= open();
      if (folder) await folder.run(signal).finally(() => folder?.close());
      else await clock.sleep(RETRY_MS, signal);
    }
    folder?.close();
  };
  return {
    ended: keep().catch((error: unknown) =>
      tell(`The folder ${sync} is not kept any more: ${messageOf(error)}`),
    ),
  };
}
