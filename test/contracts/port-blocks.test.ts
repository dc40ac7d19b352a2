/** The ports of worktrees on every database: no block has two owners, and none stays when its owner is gone. */
import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";
import { hostname } from "node:os";
import { createInterface } from "node:readline";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { systemClock } from "../../src/adapters/clock.ts";
import { databaseClass } from "../../src/adapters/store/databases/sqlite-file.ts";
import { asTaskId } from "../../src/core/ids.ts";
import { Places } from "../../src/host/workspaces/places.ts";
import { wordsOf } from "../fixtures/built.ts";
import { soon } from "../fixtures/soon.ts";
import { BACKENDS, claimed, connect, held, host, name, stage } from "../fixtures/stage.ts";

const LEASE_MS = 3_000;
/** More by hand: EKIDEN_PORT_KILLS=200. */
const KILLS = Number(process.env.EKIDEN_PORT_KILLS ?? 4);
type Said = {
  readonly task: number;
  readonly block: number;
  readonly database: string;
  readonly busy?: number;
};

describe.each(BACKENDS)("blocks of ports on %s", (backend) => {
  const at = stage(backend);
  /** As the tables have them. */
  const rows = async (): Promise<number> => {
    const text = `select count(*) as number from port_blocks where team = '${at.team}'`;
    if (backend === "sqlite") {
      const db = new (await databaseClass())(at.url.replace("sqlite:", ""), { readOnly: true });
      const row = db.prepare(text).get() as { number: number };
      db.close();
      return row.number;
    }
    const client = await connect(inject("postgresUrl"));
    await client.query(`set search_path = ${new URL(at.url).searchParams.get("schema")}`);
    const found = await client.query<{ number: string }>(text);
    await client.end();
    return Number(found.rows[0]?.number);
  };

  it("are one for each task and machine, exchanged where a program listens, and given back", async () => {
    const { store, seats } = await at.crew(["alice", "bob"]);
    const [alice, bob] = seats as [(typeof seats)[0], (typeof seats)[0]];
    await store.board.addAll([{ subject: "A" }, { subject: "B" }], name("lead"));
    expect(await store.portBlocks.take(asTaskId(1), "m", [])).toBeNull();
    const [a, b] = [await claimed(store, alice), await claimed(store, bob)];
    const first = await store.portBlocks.take(a.id, "m", []);
    expect(first).toBeGreaterThanOrEqual(20_000);
    expect(await store.portBlocks.take(a.id, "m", [])).toBe(first);
    expect(await store.portBlocks.take(b.id, "m", [])).not.toBe(first);
    expect(await store.portBlocks.take(b.id, "other machine", [])).not.toBeNull();
    const next = await store.portBlocks.take(a.id, "m", [first as number]);
    expect(next).not.toBe(first);
    expect(await rows()).toBe(3);
    await store.portBlocks.give(a.id, "m");
    expect(await rows()).toBe(2);
    await store.board.release(held(bob, b), "given_back");
    expect(await store.portBlocks.take(b.id, "m", [])).toBeNull();
    await store.roster.suspend(host("here"));
    expect(await rows()).toBe(0);
  });

  it("leave out a block of which a program has a port", async () => {
    const { store, seats } = await at.crew(["alice"], { clock: systemClock });
    await store.board.add({ subject: "A" }, name("lead"));
    const task = await claimed(store, seats[0] as (typeof seats)[0]);
    const free = (await store.portBlocks.take(task.id, hostname(), [])) as number;
    const server = createServer().listen({ port: free + 7, host: "::1" });
    onTestFinished(() => void server.close());
    await soon(() => expect(server.listening).toBe(true));
    const places = new Places("/p", () => store.portBlocks);
    const tree = { task: task.id, branch: "b", target: "main", kept: false, workspace: "/p/w" };
    await places.enter(tree, task.attempt, "");
    const port = Number(places.variablesIn("/p/w/src").EKIDEN_PORT);
    expect(port).toBeGreaterThan(free);
    expect(places.variablesIn("/p/wider")).toEqual({});
    await places.leave(tree);
    expect(await rows()).toBe(0);
  });

  it(`have one owner while two hosts of 8 worktrees each are killed ${KILLS} times`, {
    timeout: 60_000 + KILLS * 20_000,
  }, async () => {
    const store = await at.open({ clock: systemClock, leaseMs: LEASE_MS });
    const tasks = Array.from({ length: 16 }, (_, nth) => ({ subject: `${nth}` }));
    await store.board.addAll(tasks, name("lead"));
    const alive = new Map<ChildProcess, Said[]>();
    const faults: string[] = [];
    onTestFinished(() => {
      for (const child of alive.keys()) child.kill("SIGKILL");
    });
    /** `identity`: "" as on another machine, where only the lease tells that it is gone. */
    const start = (...identity: string[]): void => {
      const args = [at.url, at.team, ...identity, `${LEASE_MS}`];
      const child = spawn(process.execPath, [...wordsOf("port-owner"), ...args], {
        stdio: ["ignore", "pipe", "pipe"],
      });
      const said: Said[] = [];
      alive.set(child, said);
      child.stderr.on("data", (text) => faults.push(String(text)));
      createInterface({ input: child.stdout }).on("line", (line) => {
        const one = JSON.parse(line) as Said;
        const others = [...alive.values()].flat();
        if (one.busy !== undefined) {
          if (others.some(({ block }) => block === one.busy)) faults.push(`block twice: ${line}`);
          return;
        }
        for (const key of ["task", "block", "database"] as const)
          if (alive.has(child) && others.some((other) => other[key] === one[key]))
            faults.push(`${key} twice: ${line}`);
        said.push(one);
      });
    };
    const whole = () => soon(() => expect([faults, [...alive.values()].flat().length]).toEqual([[], 16]));
    const here = `${process.pid}-here`;
    start(here);
    start("");
    for (let kill = 0; kill < KILLS; kill += 1) {
      await whole();
      expect(await rows()).toBe(16);
      const [child] = [...alive.keys()] as [ChildProcess];
      alive.delete(child);
      child.kill("SIGKILL");
      start(kill % 2 === 0 ? here : "");
    }
    await whole();
    for (const child of alive.keys()) child.kill("SIGKILL");
    alive.clear();
    const began = performance.now();
    await soon(async () => {
      await store.roster.reap(() => null);
      expect(await rows()).toBe(0);
    });
    expect(performance.now() - began).toBeLessThan(10 * LEASE_MS);
  });
});
