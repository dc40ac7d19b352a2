import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../../adapters/clock.ts";
import { openStore } from "../../../adapters/store/index.ts";
import { heard } from "../../../core/conversation/chat.ts";
import { tagged } from "../../../core/conversation/tags.ts";
import type { Event, Fact } from "../../../core/event.ts";
import { type HostId, instant, LEAD, type Name, PERSON } from "../../../core/ids.ts";
import type { Store } from "../../../ports/index.ts";
import type { Terminal } from "../../kit/terminal.ts";
import { footerLines } from "../draw/footer.ts";
import { GrowingMarkdown } from "../draw/markdown.ts";
import { styleOf } from "../draw/style.ts";
import { Thought } from "./blocks.ts";
import { CallBlock } from "./call-block.ts";
import { NewsFeed } from "./news.ts";
import { TeamModel } from "./team.ts";
import { showThoughts } from "./thoughts.ts";

const giveBack: (() => unknown)[] = [];
afterEach(async () => {
  for (const one of giveBack.splice(0).reverse()) await one();
});

const WIDTH = 100;
const LATER = instant(Date.now() + 3_600_000);
const terminal: Terminal = {
  ...{ isTTY: true, colour: false, width: () => WIDTH },
  write: () => {},
  paint: (_, text) => text,
};
const style = styleOf(terminal);

async function openTeam(): Promise<{
  readonly store: Store;
  readonly team: TeamModel;
  take(fact: Fact, at?: number): Promise<void>;
  /** The lines of a member's feed that are not empty. */
  shown(who?: Name, now?: number): string[];
}> {
  const dir = mkdtempSync(join(tmpdir(), "ekiden-story-"));
  giveBack.push(() => rmSync(dir, { recursive: true, force: true }));
  const store = await openStore({
    url: `sqlite:${join(dir, "team.db")}`,
    team: "default" as Name,
    clock: systemClock,
    leaseMs: 15_000,
    maxAttempts: 3,
  });
  giveBack.push(() => store.close());
  const team = await TeamModel.open(store, style, () => null);
  const news = new NewsFeed(team, style);
  let seq = 0;
  return {
    store,
    team,
    take: async (fact, at = LATER) => {
      seq += 1;
      const event = { ...fact, seq, at: instant(at) } as Event;
      await team.take(event);
      await news.take(event, store);
    },
    shown: (who = LEAD, now = LATER) =>
      (who === LEAD ? team.main : team.story(who).feed)
        .window({ width: WIDTH, expanded: false, frame: "", now }, 1_000)
        .filter((line) => line.trim() !== ""),
  };
}

it("shows what a member was told before the reply that it writes meanwhile", async () => {
  const { store, team, take, shown } = await openTeam();
  const alice = "alice" as Name;
  const profile = {
    name: alice,
    kind: "teammate",
    role: "",
    prompt: "",
    model: "m",
    needsPlan: false,
  } as const;
  await store.roster.open("here" as HostId, "test", 1);
  const seat = await store.roster.join(profile, "here" as HostId, LEAD);
  await store.transcript.record(seat, [heard(tagged("auto-claimed", {}, "Build the parser."))]);
  await take({ type: "teammate.spawned", who: alice, kind: "teammate", role: "", model: "m" });
  const story = team.story(alice);
  story.delta({ type: "thinking", text: "Hm." });
  story.delta({ type: "text", text: "It grows" });
  await story.readOn(store);
  expect(shown(alice).map((line) => line.trim())).toEqual(["· Build the parser.", "∴ Hm.", "It grows"]);
});

it("says a reply once, also where its last pieces come behind the stored one", async () => {
  const { store, team, take, shown } = await openTeam();
  const here = "here" as HostId;
  await store.roster.open(here, "test", 1);
  const seat = await store.roster.join(
    { name: LEAD, kind: "lead", role: "", prompt: "", model: "m", needsPlan: false },
    here,
    LEAD,
  );
  await take({ type: "teammate.spawned", who: LEAD, kind: "lead", role: "", model: "m" });
  const story = team.story(LEAD);
  const reply = async (text: string, ...pieces: readonly string[]): Promise<void> => {
    const content = [{ type: "text", text }] as const;
    await store.transcript.record(seat, [{ kind: "said", message: { role: "assistant", content } }]);
    await story.readOn(store);
    for (const piece of pieces) story.delta({ type: "text", text: piece });
  };
  story.delta({ type: "text", text: "All is" });
  await reply("All is done.", " do", "ne.\n");
  expect(shown()).toEqual(["  All is done."]);
  expect(story.writing).toBe(null);
  story.cutOff("interrupted");
  story.delta({ type: "text", text: "late" });
  expect(story.writing).toBe(null);
  await reply("And", "And", "And now the");
  expect(shown()).toEqual(["  All is done.", "· interrupted", "  And", "  And now the"]);
});

it("shows an edit as a numbered diff, without lines that stay as they were", () => {
  const input = { path: "a.ts", old: "one\ntwo", new: "one\nnew\ntwo" };
  const block = new CallBlock(style, { type: "call", id: "1", tool: "edit_file", input }, 0);
  block.end("Replaced line 9 in a.ts.", false, 5);
  const lines = block.lines({ width: WIDTH, expanded: false, frame: "", now: 0 });
  expect(lines.slice(2)).toEqual(["     9  one", "    10 +new", "    11  two"]);
  expect(block.edited).toMatchObject({ path: "a.ts", added: 1, removed: 0 });
});

it("shows thoughts as the person wants them", () => {
  const thought = new Thought(style, "first\nlast");
  const lines = (expanded = false): string[] =>
    thought.lines({ width: WIDTH, expanded, frame: "", now: 0 }).map((line) => line.trim());
  onTestFinished(() => showThoughts("folded"));
  expect(lines()).toEqual(["", "∴ last"]);
  showThoughts("shown");
  expect(lines()).toEqual(["", "first", "last"]);
  showThoughts("hidden");
  expect([lines(), lines(true)]).toEqual([[], []]);
});

it("tells done from open tasks of a list", () => {
  const text = "- [x] done\n- [ ] open\n\n```\n- [x] code\n```";
  const shown = new GrowingMarkdown(style, text).render(40).map((line) => line.trim());
  expect(shown.slice(0, 2)).toEqual(["- ☑ done", "- ☐ open"]);
  expect(shown).toContain("- [x] code");
});

it("shows a provider that does not answer as one line that counts down, until it answers", async () => {
  const { team, take, shown } = await openTeam();
  await take({ type: "teammate.spawned", who: LEAD, kind: "lead", role: "", model: "m" });
  for (const attempt of [1, 2, 3])
    await take({ type: "model.retried", who: LEAD, why: "busy (529)", attempt, waitMs: 4_000 });
  await take({ type: "teammate.phase", who: LEAD, phase: "idle", reason: "rate_limited" });
  expect(shown()).toEqual(["· retrying in 4 s, attempt 3: busy (529)"]);
  expect(shown(LEAD, LATER + 2_500)).toEqual(["· retrying in 2 s, attempt 3: busy (529)"]);
  const look = { width: WIDTH, now: LATER, began: LATER, notice: "", model: "", frame: "⠋" };
  expect(footerLines(team, style, { ...look, stopKey: "esc interrupts", mode: "default" })[0]).toContain(
    "⠋ retrying in 4 s, attempt 3 · esc interrupts",
  );
  team.story(LEAD).cutOff("interrupted");
  expect(shown()).toEqual(["· interrupted"]);
  await take({ type: "model.retried", who: LEAD, why: "busy (529)", attempt: 1, waitMs: 4_000 });
  await take({ type: "teammate.phase", who: LEAD, phase: "work" });
  expect(shown()).toEqual(["· interrupted"]);
});

it.each([
  ["task.completed", { by: "alice", result: "White" }, /White$/],
  ["task.completed", { by: PERSON, result: "White" }, /completed by you: White/],
  ["task.failed", { by: "alice", reason: "No paint" }, /alice failed +0s\n +No paint/],
  ["task.failed", { by: PERSON, reason: "No paint" }, /alice failed +0s\n +by you: No paint/],
  ["task.cancelled", { by: PERSON, reason: "No paint" }, /cancelled by you: No paint/],
  ["task.cancelled", { by: PERSON, reason: "cancelled by a person" }, /alice +cancelled by a person/],
  ["task.cancelled", { by: LEAD, reason: "" }, /cancelled by lead/],
] as const)("says who ended a task, where that was not its owner: %s %j", async (type, end, line) => {
  const { take, shown } = await openTeam();
  const about = { task: 1, subject: "Paint", attempt: 1 } as const;
  await take({ type: "task.claimed", ...about, by: "alice" } as unknown as Fact);
  await take({ type, ...about, ...end } as unknown as Fact);
  const shownLine = shown().join("\n");
  expect(shownLine.replace(/ +\d+s$/, "")).toMatch(line);
});
