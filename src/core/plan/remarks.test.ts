/** Remarks on a board: each known mistake is named, and a good board gets none. */
import { expect, it } from "vitest";
import { cpuMs } from "../../../test/fixtures/cpu.ts";
import type { Name, TaskId } from "../ids.ts";
import { type Planned, remarksOn } from "./remarks.ts";

type Few = Partial<Omit<Planned, "blockedBy" | "assignee">> & {
  after?: readonly number[];
  assignee?: string;
};
const task = (id: number, subject: string, { after = [], assignee, ...more }: Few = {}): Planned => ({
  id: id as TaskId,
  ...{ subject, description: "Check: `npm test`", touches: [], estimate: 1, role: null, status: "pending" },
  ...more,
  blockedBy: after as readonly TaskId[],
  ...(assignee !== undefined && { assignee: assignee as Name }),
});
const crew = (...names: readonly string[]) => names.map((name) => ({ name, role: "" }));

/** The board of the guidance. */
const good = [
  task(1, "Add convert(amount, currency) in src/money/convert.ts", { touches: ["src/money/**"] }),
  task(2, "Show converted totals in the cart with convert of #1", { touches: ["src/cart/**"], after: [1] }),
  task(3, "Show them in the receipt with convert of #1", { touches: ["src/mail/**"], after: [1] }),
  task(4, "Join #2 and #3", { touches: ["test/prices.test.ts", "README.md"], after: [2, 3] }),
];

it("has none on a good board, on one task and on finished tasks", () => {
  expect(remarksOn(good, crew("alice", "bob"))).toEqual([]);
  expect(remarksOn([task(1, "Do all", { description: "", touches: ["src/**"] })], [])).toEqual([]);
  const done = { touches: ["a.ts"], description: "", status: "completed" } as const;
  expect(remarksOn([task(1, "One", done), task(2, "Two", done)], [])).toEqual([]);
});

it.each<readonly [string, readonly Planned[], readonly string[], RegExp]>([
  [
    "the same files",
    [task(1, "One", { touches: ["src/a/**"] }), task(2, "Two", { touches: ["src/a/x.ts"] })],
    [],
    /^#1 and #2 change the same files \(src\/a\/\*\*\)/,
  ],
  [
    "an edge for nothing",
    [
      task(1, "Draw the logo", { touches: ["art/logo.svg"] }),
      task(2, "Parse dates", { touches: ["src/dates.ts"], after: [1] }),
    ],
    [],
    /^#2 waits for #1, but names nothing/,
  ],
  [
    "no proof",
    [task(1, "One", { touches: ["a.ts"], description: "" }), task(2, "Two")],
    [],
    /^#1: files change and no `check`/,
  ],
  [
    "a role that nobody has",
    [task(1, "One", { role: "tester" }), task(2, "Two")],
    ["alice"],
    /no teammate has the role tester/,
  ],
  [
    "a teammate that is not there",
    [task(1, "One", { assignee: "zed" }), task(2, "Two")],
    ["alice"],
    /there is no teammate zed/,
  ],
  [
    "a chain of all",
    [task(1, "A"), task(2, "B", { after: [1] }), task(3, "C", { after: [2] }), task(4, "D", { after: [3] })],
    ["alice", "bob", "carol"],
    /^The chain #1 → #2 → #3 → #4 is 100 % of all work/,
  ],
  [
    "an id that does not exist",
    [task(1, "One", { description: "Use #4." }), task(2, "Two")],
    [],
    /^The words of #1 name #4/,
  ],
  [
    "an edge that is missing",
    [task(1, "Add convert(amount)"), task(2, "Show totals", { description: "Build on convert of #1." })],
    [],
    /^#2 uses something of #1 according to its text, but does not wait for #1/,
  ],
])("names %s", (_what, board, names, words) => {
  expect(remarksOn(board, crew(...names))).toEqual([expect.stringMatching(words)]);
});

it("leaves numbers of issues, tasks in order, and files that are named", () => {
  const board = [
    task(1, "One", { description: "Repairs #4711.", touches: ["src/a.ts"] }),
    task(2, "Two", { touches: ["src/a.ts"], after: [1] }),
    task(3, "Three, with a.ts", { touches: ["src/c.ts"], after: [1] }),
  ];
  expect(remarksOn(board, []).filter((one) => !one.includes("check"))).toEqual([]);
});

it("leaves words that take nothing of another task, and a chain in which each task says what it takes", () => {
  const words = ["Leave the mail to #1.", "Do not use the rows of #1.", "As in #1.", "Repairs #1."];
  for (const description of words)
    expect(remarksOn([task(1, "One"), task(2, "Two", { description })], [])).toEqual([]);
  const chain = [1, 2, 3, 4].map((id) =>
    task(id, `Part ${id}`, id > 1 ? { after: [id - 1], description: `Build on #${id - 1}.` } : {}),
  );
  expect(remarksOn(chain, crew("alice", "bob", "carol"))).toEqual([]);
});

it("leaves tasks that somebody has begun", () => {
  const begun = { touches: ["a.ts"], description: "", status: "in_progress" } as const;
  expect(remarksOn([task(1, "One", begun), task(2, "Two", begun)], [])).toEqual([]);
});

it("compares 300 tasks in less than two seconds of the processor, and more not at all", () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, nth) =>
      task(nth + 1, `Task ${nth}`, { touches: [`src/${nth}/**`], after: nth > 0 ? [nth] : [] }),
    );
  const board = many(300);
  expect(cpuMs(() => expect(remarksOn(board, []).length).toBeLessThanOrEqual(12))).toBeLessThan(2_000);
  expect(remarksOn(many(301), [])).toEqual([]);
});
