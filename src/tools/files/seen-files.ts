/**
 * The knowledge of each agent of this process about files: the state in which it read or wrote them last. A file that changed since then is not
 * overwritten. Only in memory: after a restart nothing is known, and unknown files may be written.
 */
import { type BigIntStats, constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { badInput } from "../../core/errors.ts";
import { hashOf } from "../../core/text/hash.ts";
import type { Store, ToolContext } from "../../ports/index.ts";
import type { Place } from "./workspace.ts";

/** `nth`: which write of this process came last. The time of a file is too coarse to tell two writes apart. */
type State = Content & { readonly nth: number };
/** `hash`: "" for a large file. A landing may write a file again as it was. */
type Content = { readonly stamp: string; readonly hash: string };
type Write = State & { readonly who: string };
type Known = {
  /** By agent and path, those used last at the end. */
  readonly seen: Map<string, State>;
  /** By path. */
  readonly writes: Map<string, Write>;
  nth: number;
};
type Who = Pick<ToolContext, "store" | "self" | "subagent" | "onEnd">;

const KEPT = 20_000;
const READS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const teams = new WeakMap<Store, Known>();

function knownIn({ store }: Who): Known {
  const known = teams.get(store) ?? { seen: new Map(), writes: new Map(), nth: 0 };
  teams.set(store, known);
  return known;
}

const nameOf = ({ self, subagent }: Who): string => subagent ?? self;
const keyOf = (who: Who, { real }: Place): string => `${nameOf(who)}\0${real}`;
const stampOf = ({ mtimeNs, size, ino }: BigIntStats): string => `${mtimeNs} ${size} ${ino}`;
const HASHED_MAX = 1024 * 1024;

async function contentOf(file: FileHandle): Promise<Content> {
  const stat = await file.stat({ bigint: true });
  if (stat.size > HASHED_MAX) return { stamp: stampOf(stat), hash: "" };
  const { buffer, bytesRead } = await file.read(Buffer.alloc(Number(stat.size)), 0, Number(stat.size), 0);
  const hash = hashOf(buffer.toString("latin1", 0, bytesRead));
  return { stamp: stampOf(stat), hash: `${bytesRead} ${hash}` };
}

function keep<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > KEPT) map.delete(map.keys().next().value as string);
}

/** Call it before the file is read: a write in between is then noticed. */
export async function noteRead(who: Who, place: Place, file: FileHandle): Promise<void> {
  const known = knownIn(who);
  const { nth } = known;
  keep(known.seen, keyOf(who, place), { ...(await contentOf(file)), nth });
}

/** Call it when the file is written. The person's hooks may format it afterwards: that belongs to this write. */
export async function noteWrite(who: Who, place: Place, file: FileHandle): Promise<void> {
  const known = knownIn(who);
  known.nth += 1;
  const { nth } = known;
  const note = (content: Content): void => {
    keep(known.writes, place.real, { ...content, nth, who: nameOf(who) });
    keep(known.seen, keyOf(who, place), { ...content, nth });
  };
  note(await contentOf(file));
  who.onEnd?.(async () => {
    const again = await open(place.real, READS).catch(() => null);
    const now = await again?.stat().then((about) => (about.isFile() ? contentOf(again) : null));
    await again?.close();
    if (now && known.writes.get(place.real)?.nth === nth) note(now);
  });
}

/** @throws EkidenError `bad_input` that says who changed the file since the agent read or wrote it */
export async function checkUnchanged(who: Who, place: Place, file: FileHandle): Promise<void> {
  const known = knownIn(who);
  const seen = known.seen.get(keyOf(who, place));
  if (!seen) return;
  const now = await contentOf(file);
  const last = known.writes.get(place.real);
  const isOthers = last !== undefined && last.nth > seen.nth && last.who !== nameOf(who);
  const isSame = now.stamp === seen.stamp || (now.hash !== "" && now.hash === seen.hash);
  if (isSame && !isOthers) return;
  const by =
    isOthers && last.stamp === now.stamp
      ? `${last.who} changed it`
      : "something outside of the file tools changed it, such as a command";
  throw badInput(
    `${place.shown} is not as you read it: ${by}. Nothing was written. Read it again, then make your change to what it has now.`,
  );
}
