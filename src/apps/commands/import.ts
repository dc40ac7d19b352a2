/** `ekiden import`: a team from files. What is damaged is named with the reason; the rest is imported, and the exit code is 1. */
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { resolve } from "node:path";
import { EkidenError } from "../../core/errors.ts";
import type { HostId } from "../../core/ids.ts";
import type { Invocation } from "../invocation.ts";
import { withTeam } from "../open.ts";
import { clean } from "../terminal/terminal.ts";

export async function run(call: Invocation, [path = ""]: readonly string[]): Promise<number | undefined> {
  const [{ readLayout }, { check, restore }] = await Promise.all([
    import("../../adapters/layout/read.ts"),
    import("../../adapters/layout/restore.ts"),
  ]);
  const { record, faults, layouts } = readLayout(resolve(call.cwd, path));
  // Before the store is opened: an import that is refused must not leave an empty team behind.
  check(record);
  if (faults.length > 0 && record.tasks.length + record.members.length + record.mail.length === 0)
    throw new EkidenError(
      "import_invalid",
      `nothing could be imported: ${faults.map(({ file, why }) => `${file}: ${why}`).join("; ")}`,
    );
  return withTeam(call, "make", async (store) => {
    const host = `import-${randomUUID()}` as HostId;
    const restored = await restore(store, record, host, hostname(), process.pid);
    const all = [...faults, ...restored.faults];
    if (call.json) {
      const { tasks, members, mail, ids } = restored;
      call.out.write(`${JSON.stringify({ layouts, tasks, members, mail, ids, faults: all })}\n`);
    } else {
      for (const { file, why } of all) call.err.write(`${clean(`ekiden: ${file}: ${why}`)}\n`);
      const renamed = Object.entries(restored.ids).filter(([key, id]) => key !== String(id));
      const names = renamed.slice(0, 10).map(([key, id]) => `${key} → #${id}`);
      if (renamed.length > 0)
        call.say(`new ids: ${names.join(", ")}${renamed.length > names.length ? ", …" : ""}`);
      call.out.write(
        `imported ${count(restored.tasks, "task")}, ${count(restored.members, "member")}, ${count(restored.mail, "mail")}\n`,
      );
    }
    return all.length > 0 ? 1 : undefined;
  });
}

const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? "" : "s"}`;
