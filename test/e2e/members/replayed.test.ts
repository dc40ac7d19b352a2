/** A run is recorded, and run again with the recorded answers alone: it ends in the same board and the same files. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PERSON } from "../../../src/core/ids.ts";
import type { Model } from "../../../src/ports/index.ts";
import { type ProgramTeam, programTeam } from "../../fixtures/program-team.ts";
import { type Recorded, recording, replaying } from "../../fixtures/recorded.ts";
import { soon } from "../../fixtures/soon.ts";

const call = (tool: string, input: Record<string, unknown> = {}) => ({ calls: [{ tool, input }] });
const says = {
  lead: [
    call("create_task", { subject: "Paint", description: "Write colour.txt" }),
    { text: "planned" },
    { times: "any" as const, text: "fine" },
  ],
  alice: [
    call("write_file", { path: "count.txt", content: "1\n" }),
    call("bash", { command: "cat count.txt; echo 2 >> count.txt; exit 3" }),
    call("complete_task", { result: "counted" }),
    { text: "counted" },
    call("read_file", { path: "count.txt" }),
    call("bash", {
      command: "sed s/1/red/ count.txt > colour.txt",
    }),
    call("fail_task", { reason: "no blue" }),
    { times: "any" as const, text: "fine" },
  ],
};

/** What a run leaves: the board, and the files. */
async function leftBy({ store, folder }: ProgramTeam): Promise<unknown> {
  const tasks = (await store.board.tasks()).map((task) =>
    Object.fromEntries(Object.entries(task).filter(([key]) => !key.endsWith("At"))),
  );
  const names = readdirSync(folder).filter((name) => !name.startsWith("."));
  return { tasks, files: names.map((name) => [name, readFileSync(join(folder, name), "utf8")]) };
}

async function run(
  through: (model: Model, folder: () => string) => Model,
  missed: readonly string[] = [],
): Promise<unknown> {
  let team: ProgramTeam | undefined;
  team = await programTeam({
    says,
    settings: { permissionMode: "bypass" },
    through: (model) => through(model, () => team?.folder ?? ""),
  });
  await team.store.board.add({ subject: "Count", description: "Write count.txt" }, PERSON);
  await team.host.start({ goal: "Go" });
  await soon(async () => {
    expect(missed).toEqual([]);
    expect(await team.events("task.failed")).toHaveLength(1);
  });
  return await leftBy(team);
}

it("a run ends in the same board with its recorded answers alone", async () => {
  const recorded: Recorded = {};
  const missed: string[] = [];
  const first = await run((model, folder) => recording(model, folder, recorded));
  const kept = JSON.parse(JSON.stringify(recorded)) as Recorded;
  const again = await run((_, folder) => replaying("scripted", folder, kept, missed), missed);
  expect(again).toEqual(first);
});
