/** The socket of a team in its place: kept by the process that has it, and not touched by one that has lost it. */
import { mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { soon } from "../../../test/fixtures/soon.ts";
import { takeAway } from "../../../test/fixtures/take-away.ts";
import { Door } from "./door.ts";
import { answers } from "./place.ts";

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "ekiden-door-"));
  onTestFinished(() => takeAway(made));
  return made;
}

async function open(path: string): Promise<Door> {
  const door = await Door.open(path);
  if (door === null) throw new Error("somebody has the place");
  onTestFinished(() => door.close());
  return door;
}

it("leaves the socket of the process that has taken its place", async () => {
  const path = join(folder(), "s.sock");
  const first = await open(path);
  expect(await Door.open(path)).toBeNull();
  rmSync(path);
  await open(path);
  expect(first.isReplaced).toBe(true);
  await first.close();
  expect(await answers(path)).toBe(true);
});

it("makes its socket again when somebody has removed it, and leaves nothing when it ends", async () => {
  const place = folder();
  const path = join(place, "s.sock");
  const door = await open(path);
  rmSync(path);
  await soon(async () => expect(await answers(path)).toBe(true));
  expect(door.isReplaced).toBe(false);
  await door.close();
  expect(readdirSync(place)).toEqual([]);
});

it("takes the place of a process that is dead", async () => {
  const path = join(folder(), "s.sock");
  const [first, left] = [await open(path), `${path}.kept`];
  // A socket whose process was killed stays, and nobody listens to it.
  renameSync(path, left);
  await first.close();
  renameSync(left, path);
  await open(path);
  expect(await answers(path)).toBe(true);
});

it("names the place where its socket cannot be made", async () => {
  const path = join(folder(), "none", "s.sock");
  await expect(Door.open(path)).rejects.toThrow(
    /cannot be made: .*EACCES.*none must have room and be writable.*XDG_CONFIG_HOME/,
  );
});
