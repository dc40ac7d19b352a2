/** The words and output of members in other processes of this machine that are not in the store yet. */
import { systemClock } from "../../../adapters/clock.ts";
import type { Name } from "../../../core/ids.ts";
import type { LiveOutput } from "../../../core/text/live-output.ts";
import type { Store } from "../../../ports/index.ts";
import type { TeamModel } from "./team.ts";

const LOOK_MS = 200;
/** The characters of a text that find its place in a later one whose beginning was cut. */
const OVERLAP = 100;

type Read = () => Promise<readonly LiveOutput[]>;

/** `isHere`: whether this process runs a member, and so hears it itself. Ends with the signal. */
export async function hearOthers(
  team: TeamModel,
  store: Store,
  read: Read,
  isHere: (who: Name) => boolean,
  onHeard: () => void,
  signal: AbortSignal,
): Promise<void> {
  let heard = new Map<string, string>();
  while (!signal.aborted) {
    await systemClock.sleep(LOOK_MS, signal).catch(() => {});
    const others = [...team.picture.members.values()].filter(
      ({ name, phase }) => phase === "work" && !isHere(name),
    );
    if (signal.aborted || others.length === 0) continue;
    // Their calls that run began before this process looked.
    for (const { name } of others) if (!team.stories.has(name)) await team.story(name).readOn(store);
    const names = new Set<string>(others.map(({ name }) => name));
    const now = (await read()).filter(({ who }) => names.has(who));
    const next = new Map(now.map((one) => [keyOf(one), one.text]));
    for (const one of now) {
      const text = added(heard.get(keyOf(one)) ?? "", one.text);
      if (text === "") continue;
      const story = team.story(one.who as Name);
      if (one.kind === "command") story.output(one.command, text);
      else story.delta({ type: one.kind, text });
      onHeard();
    }
    heard = next;
  }
}

const keyOf = ({ who, kind, command, since }: LiveOutput): string => [who, kind, since, command].join("\0");

/** The part of a text that is new. Its beginning may have been cut since. */
export function added(before: string, now: string): string {
  if (now.startsWith(before)) return now.slice(before.length);
  const end = before.slice(-OVERLAP);
  const at = now.lastIndexOf(end);
  return at === -1 ? "" : now.slice(at + end.length);
}
