import { describe, expect, it } from "vitest";
import { type Member, NOTHING_SPENT } from "../../core/board/member.ts";
import { type HostId, instant, type Name } from "../../core/ids.ts";
import { fill, numbered, type Places } from "./places.ts";

const name = (text: string): Name => text as Name;
const HERE = "here" as HostId;
const member = (who: string, more: Partial<Member> = {}): Member => ({
  ...NOTHING_SPENT,
  name: name(who),
  kind: "teammate",
  role: "",
  model: "",
  prompt: "",
  needsPlan: false,
  activity: { phase: "idle", reason: "awaiting_tasks" },
  since: instant(0),
  host: null,
  heartbeat: null,
  task: null,
  unread: 0,
  joinedAt: instant(0),
  ...more,
});
const running = (who: string, more: Partial<Member> = {}): Member => member(who, { host: HERE, ...more });
const places = (count: number, members: readonly Member[], more: Partial<Places> = {}): Places => ({
  host: HERE,
  live: new Set(["here", "other"]),
  count,
  wanted: count,
  running: new Set(members.filter(({ host }) => host === HERE).map((one) => one.name)),
  names: null,
  role: "",
  adopts: true,
  ...more,
});
const filled = (count: number, members: readonly Member[], more: Partial<Places> = {}) => {
  const { join, ...rest } = fill(places(count, members, more), members);
  return { ...rest, join: join.slice(0, 3) };
};

describe("the places of a worker", () => {
  it("go to members without a process first, then to new ones with free names", () => {
    const members = [
      member("lead", { kind: "lead" }),
      member("gone", { activity: { phase: "shutdown", reason: "asked" } }),
      member("worker-1", { host: "other" as HostId }),
      member("bob", { host: "dead" as HostId }),
      member("rita", { role: "reviewer" }),
    ];
    expect(filled(3, members)).toEqual({
      adopt: ["rita", "bob"],
      release: [],
      joining: 1,
      join: ["worker-2", "worker-3", "worker-4"],
    });
    expect(filled(1, members)).toMatchObject({ adopt: ["rita"], joining: 0 });
  });

  it("are made free for a member that only its own conversation can replace, never by one at work", () => {
    const rita = member("rita", { role: "reviewer" });
    const idle = running("worker-1");
    const busy = running("worker-2", { activity: { phase: "work" } });
    expect(filled(2, [idle, busy, rita])).toMatchObject({ adopt: [], release: ["worker-1"], joining: 0 });
    expect(filled(1, [busy, rita])).toMatchObject({ adopt: [], release: [] });
    expect(filled(1, [idle, member("bob")])).toMatchObject({ adopt: [], release: [] });
    expect(filled(1, [running("worker-3", { task: 1 as never }), rita])).toMatchObject({ release: [] });
  });

  it("are given up for a member that the lead placed here", () => {
    const placed = running("rita", { role: "reviewer", activity: { phase: "work" } });
    const own = running("worker-1");
    expect(filled(1, [own, placed], { running: new Set([own.name]) })).toMatchObject({
      adopt: ["rita"],
      release: ["worker-1"],
      joining: 0,
    });
  });

  it("stay empty after a member was asked to stop", () => {
    expect(filled(2, [running("worker-1")], { wanted: 1 })).toMatchObject({ adopt: [], joining: 0 });
  });

  it("are for its own members, if they have names or a role", () => {
    const others = [member("rita", { role: "reviewer" }), member("kim-1"), member("bob", { unread: 2 })];
    const names = numbered(name("kim"), 2);
    expect(filled(2, others, { adopts: false, names })).toEqual({
      adopt: ["kim-1"],
      release: [],
      joining: 1,
      join: ["kim-2"],
    });
    expect(filled(2, others, { adopts: false, role: "reviewer" })).toMatchObject({
      adopt: ["rita"],
      joining: 1,
    });
    expect(numbered(name("kim"), 1)).toEqual(["kim"]);
  });
});
