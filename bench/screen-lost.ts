/** (o) A team whose terminal is frozen, killed or asleep: how long its journal stands still, and how soon a new terminal shows it again. */
import { execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { type Figure, figure } from "./measure.ts";
import { brisk, ended, open, team, until } from "./screen-stage.ts";
import { BUILT, freshFolder } from "./stage.ts";

const MEMBERS = 3;

/** `frozenMs`: how long a terminal takes nothing, twice. */
export async function withoutTerminal(frozenMs: number): Promise<Figure[]> {
  const folder = freshFolder();
  const facts = async (): Promise<readonly number[]> => {
    const env = { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder };
    const { stdout } = await promisify(execFile)(process.execPath, [BUILT, "log", "--json"], {
      ...{ cwd: folder, env, maxBuffer: 1024 ** 3 },
    });
    return stdout
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { at: number }).at);
  };
  const longest = async (from: number, to: number): Promise<number> => {
    const times = [from, ...(await facts()).filter((at) => at > from && at < to), to];
    return Math.max(...times.slice(1).map((at, i) => at - (times[i] ?? at)));
  };
  const first = await team(MEMBERS, folder, brisk);
  await sleep(2_000);
  const seen = Date.now();
  await sleep(frozenMs / 4);
  const frozen = Date.now();
  process.kill(first.pty.pid, "SIGSTOP");
  await sleep(frozenMs);
  process.kill(first.pty.pid, "SIGKILL");
  await sleep(2_000);
  const second = await open([BUILT], {}, folder);
  await until(second, () => shown(second.screen()) === MEMBERS);
  process.kill(second.pty.pid, "SIGSTOP");
  second.pty.pause();
  await sleep(frozenMs);
  second.pty.resume();
  process.kill(second.pty.pid, "SIGCONT");
  await until(second, () => shown(second.screen()) === MEMBERS);
  const awake = Date.now();
  const began = performance.now();
  const third = await open([BUILT], {}, folder);
  const came = (await until(third, () => shown(third.screen()) === MEMBERS)) - began;
  // The work may end before the last look. A team that stands still with its terminal frozen has no such end.
  const last = (await facts()).at(-1) ?? 0;
  const over = last > frozen + frozenMs ? Math.min(awake, last) : awake;
  const [floor, value] = [await longest(seen, frozen), await longest(frozen, over)];
  await ended(second);
  await ended(third);
  await ended(first);
  return [
    figure({
      item: "o",
      name: `${MEMBERS} members at work, their terminal frozen, killed, asleep: longest time without a fact`,
      unit: "ms",
      value,
      floor,
      budget: { of: "value", atMost: 1_000 },
      note: "floor: with a terminal that reads",
    }),
    figure({
      item: "o",
      name: "a new terminal shows the members at work",
      unit: "ms",
      value: came,
      budget: { of: "value", atMost: 300 },
    }),
  ];
}

/** Members that the strip shows with their task. */
const shown = (screen: string): number => screen.match(/^ *\S+ +\w+ +#\d+ Part \d/gm)?.length ?? 0;
