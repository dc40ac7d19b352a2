/**
 * Three agent programs with windows of five hours and of a week do 300 tasks, on a clock that this test moves: the time of the whole is near
 * that of a plan that knows every limit before. The programs are simulated; the logins are those of the program.
 */
import { expect, it } from "vitest";
import { FUZZ, randomFrom } from "../../../test/fixtures/fuzz.ts";
import { stage } from "../../../test/fixtures/stage.ts";
import type { Store } from "../../ports/index.ts";
import { Login } from "./login.ts";

const here = stage("sqlite");
const [MINUTE, WINDOW, WEEK] = [60_000, 300 * 60_000, 7 * 24 * 60 * 60_000];
const TASKS = 300;
const WORDS: Readonly<Record<string, string>> = {
  claude: "You've hit your session limit ·",
  codex: "You've hit your usage limit. It",
  gemini: "RESOURCE_EXHAUSTED. It",
};

/** A program that works for so many minutes in a window, and in a week. It says at a prompt that a limit is reached. */
class Program {
  readonly name: string;
  private readonly most: { readonly short: number; readonly long: number };
  private used = { short: 0, long: 0 };
  private began = { short: 0, long: 0 };
  /** The share of each window that was used at its reset. */
  readonly shares: number[] = [];

  constructor(name: string, short: number, long: number) {
    this.name = name;
    this.most = { short, long };
  }

  /** When it may work again; null: now. */
  limit(now: number): number | null {
    for (const [kind, length] of [
      ["long", WEEK],
      ["short", WINDOW],
    ] as const) {
      if (now >= this.began[kind] + length) {
        if (kind === "short" && this.began.short > 0) this.shares.push(this.used.short / this.most.short);
        [this.used[kind], this.began[kind]] = [0, now];
      }
      if (this.used[kind] >= this.most[kind]) return this.began[kind] + length;
    }
    return null;
  }

  work(minutes: number): void {
    this.used.short += minutes;
    this.used.long += minutes;
  }
}

type Member = { readonly program: Program; readonly login: Login; at: number };
type Played = {
  readonly ms: number;
  readonly asked: ReadonlyMap<string, number>;
  readonly programs: Program[];
};

/** `knows`: nobody asks before a limit ends, and everybody continues in the moment of its end. */
async function play(store: Store, seed: number, knows: boolean): Promise<Played> {
  const random = randomFrom(FUZZ.seed + seed);
  const minutes = Array.from({ length: TASKS }, () => 4 + random(9));
  const { clock } = here;
  const began: number = clock.now();
  const programs = [
    new Program("claude", 240, 1_500),
    new Program("codex", 180, 2_400),
    new Program("gemini", 120, 900),
  ];
  const parts = { store, clock, login: `${seed}${knows}`, machine: "box" };
  const members = programs.flatMap((program): Member[] => {
    const login = new Login({ ...parts, program: program.name });
    return [
      { program, login, at: began },
      { program, login, at: began },
    ];
  });
  const asked = new Map<string, number>();
  const noteLimit = ({ name }: Program, limit: number): void => {
    asked.set(`${name} ${limit}`, (asked.get(`${name} ${limit}`) ?? 0) + 1);
  };
  let nth = 0;
  let ended: number = began;
  while (nth < TASKS) {
    const member = members.reduce((a, b) => (b.at < a.at ? b : a));
    const { program, login } = member;
    clock.stall(Math.max(0, member.at - clock.now()));
    const now = clock.now();
    const limit = program.limit(now);
    if (knows && limit !== null) {
      member.at = limit;
      continue;
    }
    let entry: "go" | "try" = "go";
    try {
      entry = knows ? "go" : login.enter(member);
    } catch (error) {
      member.at = (error as { details: { until: number } }).details.until;
      continue;
    }
    const isFalse = !knows && limit === null && random(50) === 0;
    if (limit !== null || isFalse) {
      // Times are said in minutes.
      const at = new Date(Math.floor((limit ?? now + WINDOW) / MINUTE) * MINUTE).toISOString();
      const words = `${WORDS[program.name]} resets ${at}`;
      let heard = login.heard([words], member);
      if (limit !== null) noteLimit(program, limit);
      // It is asked once more, in a new session.
      if (heard?.details.again === true && limit !== null) {
        noteLimit(program, limit);
        heard = login.heard([words], member);
      }
      if (heard?.details.until !== undefined) {
        member.at = Number(heard.details.until);
        continue;
      }
    }
    if (entry === "try") login.worked(member);
    const took = minutes[nth] ?? 0;
    nth += 1;
    program.work(took);
    login.worked(member);
    member.at = now + took * MINUTE;
    ended = Math.max(ended, member.at);
  }
  return { ms: ended - began, asked, programs };
}

it.each([1, 2, 3])("takes little longer than a plan with full knowledge: %i", async (seed) => {
  const store = await here.open();
  const best = await play(store, seed, true);
  const real = await play(store, seed, false);
  expect(real.ms / best.ms).toBeLessThanOrEqual(1.15);
  expect(real.asked.size).toBeGreaterThan(3);
  // The first notice, and once more in a new session.
  for (const times of real.asked.values()) expect(times).toBeLessThanOrEqual(2);
  for (const { shares } of real.programs)
    for (const share of shares) expect(share).toBeGreaterThanOrEqual(0.9);
});
