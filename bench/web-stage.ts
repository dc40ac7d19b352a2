/** The stage for (k): a store with a large board and a long journal, and the processes beside it. */
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../src/adapters/clock.ts";
import { openStore } from "../src/adapters/store/index.ts";
import type { Fact } from "../src/core/event.ts";
import { asTaskId, DEFAULT_TEAM, name, PERSON } from "../src/core/ids.ts";
import type { Store } from "../src/ports/index.ts";
import { atEnd } from "./stage.ts";

const TASKS = 10_000;

export async function bigStore(folder: string, facts: number): Promise<Store> {
  const store = await openStore({
    url: `sqlite:${join(folder, ".ekiden/team.db")}`,
    team: DEFAULT_TEAM,
    clock: systemClock,
  });
  for (let first = 0; first < TASKS; first += 500)
    await store.board.addAll(
      Array.from({ length: 500 }, (_, i) => {
        const id = first + i + 1;
        const blockers = [id - 540, id - 557].filter((one) => one > 0 && id % 4 !== 0);
        return { subject: `Task ${id} of the large board`, blockedBy: blockers.map(asTaskId) };
      }),
      PERSON,
    );
  const who = Array.from({ length: 200 }, (_, i) => name(`member-${i}`));
  for (let made = TASKS; made < facts; made += 2_000)
    await store.journal.note(
      Array.from({ length: 2_000 }, (_, i): Fact => {
        const actor = who[i % who.length] as (typeof who)[number];
        return i % 3 === 0
          ? {
              type: "turn.taken",
              who: actor,
              model: "m",
              inputTokens: 9_000,
              cachedTokens: 8_000,
              outputTokens: 200,
              usd: 0.01,
              ms: 900,
              text: "",
            }
          : {
              type: "tool.called",
              who: actor,
              tool: "bash",
              subject: `npm test -- ${i}`,
              ms: 120,
              isError: false,
            };
      }),
    );
  return store;
}

/** A process, and the first line that it prints. */
export function started(
  args: readonly string[],
  folder: string,
): { child: ChildProcess; line: Promise<string> } {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, HOME: folder },
    stdio: ["ignore", "pipe", "ignore"],
  });
  atEnd(async () => void child.kill("SIGKILL"));
  const line = new Promise<string>((resolve, reject) => {
    child.stdout?.setEncoding("utf8").once("data", (text: string) => resolve(text.split("\n")[0] ?? ""));
    child.once("exit", (code) => reject(new Error(`${args[1]} ended with ${code}`)));
  });
  return { child, line };
}

export const megabytes = ({ pid }: ChildProcess): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;

/** Processor time in milliseconds; the kernel counts hundredths of a second. */
export function cpuOf({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
