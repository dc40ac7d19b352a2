/**
 * `ekiden import`: a team from files. It is first imported into an empty store that is thrown away: a refusal there leaves the
 * real one untouched. Damaged parts are named with the reason; the rest is imported, and the exit code is 1.
 */

import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { TeamRecord } from "../../../adapters/layout/record.ts";
import type { Restored } from "../../../adapters/layout/restore.ts";
import { EkidenError, orElse } from "../../../core/errors.ts";
import { DEFAULT_TEAM, type HostId } from "../../../core/ids.ts";
import { jsonLine } from "../../../core/text/hidden.ts";
import type { Store } from "../../../ports/index.ts";
import { withTeam } from "../../../project/open.ts";
import type { Invocation } from "../../kit/invocation.ts";
import { clean } from "../../kit/terminal.ts";
import type { Run } from "../entry.ts";

type Options = { readonly dryRun?: boolean; readonly again?: boolean };

export const run: Run<Options> = async (call, [path = ""], { dryRun = false, again = false }) => {
  const { readLayout } = await import("../../../adapters/layout/read.ts");
  const { record, faults, layouts } = readLayout(resolve(call.cwd, path));
  if (faults.length > 0 && record.tasks.length + record.members.length + record.mail.length === 0)
    throw new EkidenError(
      "import_invalid",
      `nothing could be imported: ${faults.map(({ file, why }) => `${file}: ${why}`).join("; ")}`,
    );
  const rehearsed = await rehearse(record);
  if (!again) await refuseTwice(call, record, path);
  const restored = dryRun
    ? rehearsed
    : await withTeam(call, "make", (store) => into(store, record), { signs: false });
  const all = [...faults, ...restored.faults];
  const { tasks, members, mail, ids, names, notes } = restored;
  if (call.json) {
    const made = dryRun ? { dryRun } : { ids };
    call.out.write(jsonLine({ layouts, tasks, members, mail, names, notes, faults: all, ...made }));
  } else {
    for (const { file, why } of all) call.err.write(`${clean(`ekiden: ${file}: ${why}`)}\n`);
    const changes = [renamed("names", names, ""), dryRun ? "" : renamed("ids", ids, "#")];
    for (const note of [...notes, ...changes]) if (note !== "") call.say(clean(note));
    const sum = [count(tasks, "task"), count(members, "member"), count(mail, "mail")].join(", ");
    call.out.write(dryRun ? `would import ${sum}; nothing was written\n` : `imported ${sum}\n`);
  }
  return all.length > 0 ? 1 : undefined;
};

async function into(store: Store, record: TeamRecord): Promise<Restored> {
  const { restore } = await import("../../../adapters/layout/restore.ts");
  return restore(store, record, `import-${randomUUID()}` as HostId, hostname(), process.pid);
}

/** @throws EkidenError what the board, the roster or a mailbox refuses */
async function rehearse(record: TeamRecord): Promise<Restored> {
  const [{ openStore }, { systemClock }] = await Promise.all([
    import("../../../adapters/store/index.ts"),
    import("../../../adapters/clock.ts"),
  ]);
  const folder = mkdtempSync(join(tmpdir(), "ekiden-import-"));
  try {
    const url = `sqlite:${join(folder, "team.db")}`;
    const store = await openStore({ url, team: DEFAULT_TEAM, clock: systemClock });
    return await into(store, record).finally(() => store.close());
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @throws EkidenError `import_invalid` */
async function refuseTwice(call: Invocation, record: TeamRecord, path: string): Promise<void> {
  const { isThere } = await import("../../../adapters/layout/restore.ts");
  const there = withTeam(call, "look", (store) => isThere(store, record));
  if (!(await orElse(there, "not_found", false))) return;
  const what = record.tasks.length > 0 ? "all its tasks are on the board" : "all its mail was sent before";
  throw new EkidenError(
    "import_invalid",
    `${path} seems to have been imported already: ${what}. To import it again: ekiden import ${path} --again.`,
  );
}

/** "new ids: task_a → #4, …", or "" when all stayed the same. */
function renamed(what: string, map: Readonly<Record<string, unknown>>, mark: string): string {
  const changed = Object.entries(map).filter(([from, to]) => from !== String(to));
  const shown = changed.slice(0, 10).map(([from, to]) => `${from} → ${mark}${to}`);
  if (changed.length > shown.length) shown.push("…");
  return shown.length > 0 ? `new ${what}: ${shown.join(", ")}` : "";
}

const count = (n: number, what: string): string => `${n} ${what}${n === 1 || what === "mail" ? "" : "s"}`;
