/** Orders about tasks in progress by the keys of the full screen: the owner's command ends at once, and the owner hears why. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { isAlive } from "../../../src/adapters/process-table.ts";
import type { Task } from "../../../src/core/board/task.ts";
import { pidsIn } from "../../fixtures/pids.ts";
import { project } from "../../fixtures/project.ts";
import { soon } from "../../fixtures/soon.ts";

const F2 = "\x1bOQ";
const NAMES = ["alpha", "bravo", "charlie", "delta"];

it("cancel, release, edit and assign end the running command of the owner", async () => {
  const place = project();
  const pids = (name: string): number[] => pidsIn(join(place.dir, name));
  for (const name of NAMES)
    await place.run([
      ...["add", name, "-d"],
      `\`\`\`sh\necho $$ >> ${name}.pids\nwhile [ ! -e go ]; do sleep 0.05; done\n\`\`\``,
    ]);
  const args = ["--model", "runbook", "--teammates", "4", "--sandbox", "off", "--allow", "bash"];
  const terminal = await place.open(args, { columns: 140, rows: 40 });
  await soon(() => expect(NAMES.map((name) => pids(`${name}.pids`).length)).toEqual([1, 1, 1, 1]));
  const isOver = (name: string) =>
    soon(() => expect(pids(`${name}.pids`).slice(0, 1).filter(isAlive)).toEqual([]));
  const { board } = await place.store();
  const ownerOf = (task?: Task): string => (task && "owner" in task && task.owner) || "";
  const tasks = await board.tasks();
  const owner = (id: number): string => ownerOf(tasks.find((task) => task.id === id));
  terminal.type(F2);
  await terminal.shows("↓ selects · esc closes");
  /** The cursor is on this task. */
  const select = async (id: number): Promise<void> => {
    terminal.type(`\x1b[B/${NAMES[id - 1]}`);
    await terminal.shows(new RegExp(`^› +#${id} ${NAMES[id - 1]}`, "m"));
    terminal.type("\r");
  };
  const clear = async (): Promise<void> => {
    terminal.type("\x1b");
    await soon(() => expect(terminal.screen()).not.toContain("filter:"));
  };
  await select(1);
  terminal.type("c");
  await terminal.shows("c again: cancel 1");
  terminal.type("c");
  await terminal.shows(new RegExp(`#1 is cancelled; ${owner(1)} was told to stop`));
  await isOver("alpha");
  await clear();
  await select(2);
  terminal.type("l");
  await terminal.shows("l again: release 2");
  terminal.type("l");
  await terminal.shows(new RegExp(`#2 is back on the board; ${owner(2)} was told to stop`));
  await isOver("bravo");
  await clear();
  await select(3);
  terminal.type("e");
  await terminal.shows("/edit 3");
  terminal.type("--subject third\r");
  await terminal.shows(new RegExp(`#3: changed subject; ${owner(3)} was told`));
  await isOver("charlie");
  const other = tasks.map(ownerOf).find((one) => one !== owner(4)) ?? "";
  terminal.type(`\t/edit 4 --assign ${other}\r`);
  await terminal.shows(new RegExp(`#4: changed assignee; ${owner(4)} was told to stop`));
  await isOver("delta");
  await soon(() => expect(pids("bravo.pids").length).toBe(2));
  writeFileSync(join(place.dir, "go"), "");
  await soon(async () => {
    const now = await board.tasks();
    expect(now.map(({ status }) => status)).toEqual(["cancelled", "completed", "completed", "completed"]);
    expect(ownerOf(now[3])).toBe(other);
  });
  expect(pids("alpha.pids")).toHaveLength(1);
  // Each owner heard it.
  for (const id of [1, 2, 4])
    expect((await place.run(["transcript", owner(id)])).stdout).toContain("You no longer own it");
});
