/**
 * A process that works on boards through the store, as board.ts tells it, one command a line:
 * `seed TEAM N [blocked]` · `add` · `take TEAM,… MS` claims and completes until the time is over or nothing is ready · `look TEAM TIMES`.
 * bench/floor/claimer.mjs answers `take` and `look` with plain SQL.
 */
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import { type NewTask, name, openStore, PERSON, type Store, systemClock } from "ekiden";
import { sharedNow } from "./stage.ts";

const [url = ""] = process.argv.slice(2);
const store = await openStore({ url, team: name("default"), clock: systemClock });
type Roster = Store["roster"];
type Seat = Awaited<ReturnType<Roster["join"]>>;
const host = randomUUID() as Parameters<Roster["open"]>[0];
const heard = (text: string) => ({ kind: "heard", text }) as const;
const me = name(`worker-${process.pid}`);
const seats = new Map<string, { team: Store; seat: Seat }>();

async function seated(teamName: string): Promise<{ team: Store; seat: Seat }> {
  const known = seats.get(teamName);
  if (known) return known;
  const team = await store.forTeam(name(teamName));
  await team.roster.open(host, "bench", process.pid);
  const profile = { name: me, kind: "teammate", role: "", model: "", prompt: "", needsPlan: false } as const;
  const made = { team, seat: await team.roster.join(profile, host, PERSON) };
  seats.set(teamName, made);
  return made;
}

const COMMANDS: Readonly<Record<string, (...args: string[]) => Promise<object>>> = {
  open: async () => ({}),

  async join(teams = "") {
    for (const one of teams.split(",")) await seated(one);
    return {};
  },

  /** The second half waits for the first, task by task; or all for a task that is never done. */
  async seed(teamName = "", count = "", blocked = "") {
    const { team, seat } = await seated(teamName);
    const half = Math.floor(Number(count) / 2);
    const tasks: NewTask[] = [];
    const first = blocked ? (await team.board.add({ subject: "Never done" }, PERSON)).id : null;
    if (first) await team.board.claim(seat, first);
    for (let i = 0; i < Number(count); i += 1)
      tasks.push({
        subject: `Task ${i + 1}`,
        blockedBy: first ? [first] : i >= half ? [{ nth: i - half }] : [],
      });
    await team.board.addAll(tasks, PERSON);
    return {};
  },

  async add() {
    const at = sharedNow();
    await store.board.add({ subject: "Answer at once" }, PERSON);
    return { at };
  },

  async take(teams = "", ms = "") {
    const all = await Promise.all(teams.split(",").map(seated));
    const from = sharedNow();
    const until = performance.now() + Number(ms);
    const taken: string[] = [];
    for (const { team, seat } of all)
      while (performance.now() < until) {
        const task = await team.board.claimNext(seat, (one) => heard(one.subject));
        if (!task) break;
        await team.board.complete({ seat, task: task.id, attempt: task.attempt }, "done", () =>
          heard("done"),
        );
        taken.push(`${team.team}/${task.id}`);
      }
    return { from, to: sharedNow(), taken };
  },

  async look(teamName = "", times = "") {
    const { team, seat } = await seated(teamName);
    const from = performance.now();
    for (let i = 0; i < Number(times); i += 1)
      if (await team.board.claimNext(seat)) throw new Error("something is ready");
    return { us: ((performance.now() - from) * 1000) / Number(times) };
  },
};

for await (const line of createInterface(process.stdin)) {
  const [command = "", ...args] = line.split(" ");
  console.log(JSON.stringify(await COMMANDS[command]?.(...args)));
}
for (const { team } of seats.values()) await team.close();
await store.close();
