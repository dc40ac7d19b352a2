/** A group that was left behind is forgotten when its last process has ended: its number may be somebody else's by then. */
import { spawn } from "node:child_process";
import { expect, it, onTestFinished } from "vitest";
import { soon } from "../../../test/fixtures/soon.ts";
import { groupAlive } from "../process-table.ts";
import { Leftovers } from "./leftovers.ts";

/** A group of its own that ends when its input does. */
function group(): { readonly id: number; end(): void } {
  const child = spawn("cat", { detached: true, stdio: ["pipe", "ignore", "ignore"] });
  onTestFinished(() => void child.stdin.destroy());
  return { id: child.pid ?? 0, end: () => void child.stdin.end() };
}

it("tells of each group whose last process has ended, and keeps the others", async () => {
  const gone: number[] = [];
  const left = new Leftovers((one) => void gone.push(one));
  const [first, second] = [group(), group()];
  left.add(first.id);
  left.add(second.id);
  first.end();
  await soon(() => expect(gone).toEqual([first.id]));
  second.end();
  await soon(() => expect(gone).toEqual([first.id, second.id]));
  const third = group();
  left.add(third.id);
  expect([...left.close()]).toEqual([third.id]);
});

it("names none at its close that ended a moment before", async () => {
  const left = new Leftovers(() => {});
  const only = group();
  left.add(only.id);
  only.end();
  await soon(() => expect(groupAlive(only.id)).toBe(false));
  expect(left.close().size).toBe(0);
});
