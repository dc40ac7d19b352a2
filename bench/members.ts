/**
 * A process with many members, as postgres.ts tells it, one command a line: `seed TEAM N` · `join TEAM MEMBERS` · `take TEAM MEMBERS MS`
 * claims and completes with so many members at once, each task after MS of waiting, until nothing is ready. bench/floor/graphile.mjs
 * answers `seed` and `take` with another queue.
 */
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { name, openStore, PERSON, type Store, systemClock } from "ekiden";
import { sharedNow } from "./stage.ts";

const [url = ""] = process.argv.slice(2);
const root = await openStore({ url, team: name("default"), clock: systemClock });
const host = randomUUID() as Parameters<Store["roster"]["open"]>[0];
const heard = (text: string) => ({ kind: "heard", text }) as const;
const teams = new Map<string, Store>();
type Seat = Awaited<ReturnType<Store["roster"]["join"]>>;
const seats = new Map<string, Seat[]>();

async function teamNamed(text: string): Promise<Store> {
  const team = teams.get(text) ?? (await root.forTeam(name(text)));
  teams.set(text, team);
  return team;
}

const COMMANDS: Readonly<Record<string, (...args: string[]) => Promise<object>>> = {
  async seed(team = "", count = "") {
    const tasks = Array.from({ length: Number(count) }, (_, i) => ({ subject: `Task ${i}` }));
    await (await teamNamed(team)).board.addAll(tasks, PERSON);
    return {};
  },

  async join(text = "", members = "") {
    const { roster } = await teamNamed(text);
    await roster.open(host, "bench", process.pid);
    const joined: Seat[] = [];
    for (let i = 0; i < Number(members); i += 1) {
      const profile = {
        name: name(`m-${process.pid}-${i}`),
        kind: "teammate",
        role: "",
        model: "",
        prompt: "",
        needsPlan: false,
      } as const;
      joined.push(await roster.join(profile, host, PERSON));
    }
    seats.set(text, joined);
    return {};
  },

  async take(text = "", members = "", ms = "0") {
    const { board } = await teamNamed(text);
    if (!seats.has(text)) await COMMANDS.join?.(text, members);
    const from = sharedNow();
    let taken = 0;
    await Promise.all(
      (seats.get(text) ?? []).map(async (seat) => {
        for (;;) {
          const task = await board.claimNext(seat, (one) => heard(one.subject));
          if (!task) return;
          if (ms !== "0") await delay(Number(ms));
          await board.complete({ seat, task: task.id, attempt: task.attempt }, "done", () => heard("done"));
          taken += 1;
        }
      }),
    );
    return { from, to: sharedNow(), taken };
  },
};

for await (const line of createInterface(process.stdin)) {
  const [command = "", ...args] = line.split(" ");
  console.log(JSON.stringify(await COMMANDS[command]?.(...args)));
}
for (const team of teams.values()) await team.close();
await root.close();
