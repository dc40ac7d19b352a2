/** The real store, driven by the operations of the model: what it answers and what its tables say, in the model's words. */
import { ManualClock } from "../../src/adapters/clock.ts";
import { openStore } from "../../src/adapters/store/index.ts";
import type { Mail } from "../../src/core/board/mail.ts";
import type { Seat } from "../../src/core/board/member.ts";
import { heard } from "../../src/core/conversation/chat.ts";
import { isEkidenError } from "../../src/core/errors.ts";
import { asTaskId, type HostId, type Name, PERSON } from "../../src/core/ids.ts";
import type { Store } from "../../src/ports/store.ts";
import { BLOCKERS, type Claim, MAX_TRIES, MEMBERS, type Op, runs, type State } from "./model.ts";

const LEASE_MS = 15_000;
const NAMES = ["alice", "bob", "carol"] as Name[];
const hostId = (host: number): HostId => `host-${host}` as HostId;
const seat = (host: number, member: number): Seat => ({ name: NAMES[member] as Name, host: hostId(host) });
const held = ({ host, member, task, attempt }: Claim) => ({
  seat: seat(host, member),
  task: asTaskId(task + 1),
  attempt,
});

/** A file for many teams: a trace needs a team of its own, not a database of its own. */
export class Stores {
  private count = 0;
  private readonly clock = new ManualClock();
  private readonly root: Store;

  private constructor(root: Store, clock: ManualClock) {
    this.root = root;
    this.clock = clock;
  }

  static async open(url: string): Promise<Stores> {
    const clock = new ManualClock();
    const limits = { leaseMs: LEASE_MS, maxAttempts: MAX_TRIES };
    return new Stores(await openStore({ url, team: "root" as Name, clock, ...limits }), clock);
  }

  /** A team as the model begins. */
  async begin(): Promise<RealTeam> {
    this.count += 1;
    const store = await this.root.forTeam(`team-${this.count}` as Name);
    for (let member = 0; member < MEMBERS; member += 1) {
      await store.roster.open(hostId(2 * member), "machine", 2 * member);
      const profile = {
        name: NAMES[member] as Name,
        kind: "teammate",
        role: "",
        model: "",
        prompt: "",
      } as const;
      await store.roster.join({ ...profile, needsPlan: false }, hostId(2 * member), PERSON);
    }
    const tasks = BLOCKERS.map((blockers, id) => ({
      subject: `task ${id + 1}`,
      blockedBy: blockers.map((nth) => ({ nth })),
    }));
    await store.board.addAll(tasks, PERSON);
    return new RealTeam(store, this.clock);
  }

  close(): Promise<void> {
    return this.root.close();
  }
}

export class RealTeam {
  private readonly store: Store;
  private readonly clock: ManualClock;

  constructor(store: Store, clock: ManualClock) {
    this.store = store;
    this.clock = clock;
  }

  /** `before`: the model's state, which says who believes what and whose lease still runs. */
  async step(op: Op, before: State): Promise<string> {
    try {
      return await this.carryOut(op, before);
    } catch (error) {
      if (!isEkidenError(error)) throw error;
      return error.code;
    }
  }

  private async carryOut(op: Op, before: State): Promise<string> {
    const { board, roster, mail } = this.store;
    /** Pids are the numbers of the hosts. */
    const isAlive =
      (sees: boolean) =>
      ({ pid }: { readonly pid: number }) =>
        sees && !runs(before, pid) ? false : null;
    switch (op.op) {
      case "claim": {
        const result = await board.claim(seat(op.host, op.member), asTaskId(op.task + 1));
        return result.ok ? `#${result.task.id}.${result.task.attempt}` : result.why;
      }
      case "claimNext": {
        const task = await board.claimNext(seat(op.host, op.member));
        return task ? `#${task.id}.${task.attempt}` : "nothing";
      }
      case "complete":
        return `ready ${(await board.complete(held(op.claim), "done")).join()}`;
      case "land":
        if (!before.flight) return "nothing";
        return `ready ${(await board.complete(held(before.flight), "done")).join()}`;
      case "release":
        await board.release(held(op.claim), "given_back");
        return "ok";
      case "takeBack":
        await board.takeBack(asTaskId(op.task + 1), PERSON);
        return "ok";
      case "beat":
        return String(await roster.beat(hostId(op.host)));
      case "open":
        await roster.open(hostId(op.host), "machine", op.host);
        return "ok";
      case "expire":
        await this.clock.advance(LEASE_MS + 1);
        // Time passes for all: a host that still has a lease in the model has renewed it.
        for (const [host, lease] of before.leases.entries())
          if (lease === "live" && host !== op.host) await roster.beat(hostId(host));
        return "time";
      case "reap":
        return `released ${(await roster.reap(isAlive(op.sees))).join()}`;
      case "adopt": {
        const adopted = await roster.adopt(NAMES[op.member] as Name, hostId(op.host), {
          isAlive: isAlive(op.sees),
        });
        return adopted ? "ok" : "null";
      }
      case "send": {
        const letters = [...before.unread, ...before.delivered];
        const text = `${op.from}.${letters.filter(({ from }) => from === op.from).length}`;
        const entry = { seat: seat(op.host, op.from), make: () => heard("sent") };
        const letter = { to: NAMES[op.to] as Name, body: { kind: "note", text } } as const;
        await mail.send(NAMES[op.from] as Name, letter, entry);
        return "ok";
      }
      case "deliver": {
        const found = await mail.deliver(seat(op.host, op.member), () => [heard("mail")]);
        const told = found.some(({ body }) => body.kind === "claim_taken") ? ["claim_taken"] : [];
        return [...found.flatMap(letterIn), ...told].join();
      }
      case "crash":
      case "restart":
        return op.op;
      case "issue":
        return "sent";
    }
  }

  /** The tables in one text. */
  async shown(): Promise<string> {
    const members = new Map((await this.store.roster.members()).map((one) => [one.name, one.host]));
    const hosts = (await this.store.roster.hosts()).map(({ id }) => id).sort();
    const tasks = (await this.store.board.tasks()).map((task) => {
      const owner = task.status === "in_progress" ? task.owner : "-";
      return `${task.status} ${owner} ${task.attempt} ${task.openBlockers}`;
    });
    const unread: string[] = [];
    for (const name of NAMES) unread.push(...(await this.store.mail.unread(name)).flatMap(letterIn));
    return [
      hosts.join(),
      NAMES.map((name) => members.get(name) ?? "-").join(),
      ...tasks,
      unread.sort().join(),
    ].join("\n");
  }
}

/** A letter that a member sent. */
const letterIn = ({ body }: Pick<Mail, "body">): string[] => (body.kind === "note" ? [body.text] : []);

/** The value that `RealTeam.shown` must have in this state. */
export function expected(state: State): string {
  const hosts = state.leases.flatMap((lease, host) => (lease === "none" ? [] : [hostId(host)])).sort();
  const tasks = state.tasks.map(
    ({ status, owner, attempt, openBlockers }) =>
      `${status} ${status === "in_progress" ? NAMES[owner] : "-"} ${attempt} ${openBlockers}`,
  );
  const unread = state.unread.map(({ from, nth }) => `${from}.${nth}`).sort();
  const seats = state.seats.map((host) => (host < 0 ? "-" : hostId(host)));
  return [hosts.join(), seats.join(), ...tasks, unread.join()].join("\n");
}
