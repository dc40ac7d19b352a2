import { expect, it } from "vitest";
import { isEkidenError } from "../errors.ts";
import { fencesIn, scriptsIn } from "./fences.ts";
import { parseRunbook } from "./runbook.ts";

const GOOD = `# Ship it

Before Friday.

## Count
Priority: 5
Counts the files.

\`\`\`sh timeout=60s
# not a heading
## nor this
ls | wc -l
\`\`\`

## Check, then test
Role: reviewer
Estimate: 2.5
Touches: src/**, test/a.ts

### How
After: Count

## Report
- After: check, THEN test, #1
Says it all.
`;

const problems = (text: string): string => {
  try {
    parseRunbook(text, "plan.md");
  } catch (error) {
    if (isEkidenError(error, "bad_input")) return error.message;
    throw error;
  }
  return expect.unreachable("it should have been refused");
};

it("reads goal, tasks, options and edges; what is fenced stays text", () => {
  const { goal, tasks } = parseRunbook(GOOD);
  expect(goal).toBe("Ship it\n\nBefore Friday.");
  expect(tasks).toEqual([
    {
      subject: "Count",
      description: "Counts the files.\n\n```sh timeout=60s\n# not a heading\n## nor this\nls | wc -l\n```",
      blockedBy: [],
      priority: 5,
    },
    {
      subject: "Check, then test",
      description: "### How",
      blockedBy: [{ nth: 0 }],
      role: "reviewer",
      estimate: 2.5,
      touches: ["src/**", "test/a.ts"],
    },
    { subject: "Report", description: "Says it all.", blockedBy: [{ nth: 1 }, { nth: 0 }] },
  ]);
});

it("reads files of other systems the same: BOM, CRLF, closing marks", () => {
  const windows = `\uFEFF${GOOD.replaceAll("\n", "\r\n")}`;
  expect(parseRunbook(windows)).toEqual(parseRunbook(GOOD));
  expect(parseRunbook("# G #\n## A ##\n")).toEqual({
    goal: "G",
    tasks: [{ subject: "A", description: "", blockedBy: [] }],
  });
});

it("tells everything that is wrong at once, with lines", () => {
  const text = `Some words
## Build it
Estimate: soon
After: bild it too
## Build it too
After: #9
Priority: 1.5
## Build it
Role:
\`\`\`sh timeout=later
echo`;
  expect(problems(text)).toBe(`plan.md has 9 problems:
  line 1: there is no goal. Begin with a heading such as \`# Move the API to GraphQL\`.
  line 3: "Estimate: soon" is not a number.
  line 4: "After: bild it too": no task has that subject. Did you mean "Build it too"?
  line 5: The priority 1.5 is not a whole number between -1000000 and 1000000.
  line 6: "After: #9": there are 3 tasks; #1 is the first of this file.
  line 8: a second task "Build it"; the first is in line 2. Subjects must differ.
  line 9: "Role:" has no value.
  line 10: the fence that opens here is never closed. Close it with a line of the same marks.
  line 10: the timeout in "sh timeout=later" is not a time such as timeout=60s.`);
});

it.each([
  ["# G\ntext", "line 1: there are no tasks"],
  ["", "there is no goal"],
  ["# G\n## A\n# H", 'line 3: a second goal, "H"'],
  ["# G\n##\ntext", "line 2: a task without a subject"],
  ["# G\n## A\nAfter: A", '"A" cannot come after itself'],
  ["# G\n## A\nAfter:", '"After:" names nothing'],
  ["# G\n## A\nRole: x\nRole: y", 'line 4: a second "Role:"'],
  ["# G\n## A\nEstimate: -1", "line 2: The estimate -1"],
])("refuses %j", (text, what) => {
  expect(problems(text)).toContain(what);
});

it("names a cycle", () => {
  const text = "# G\n## Z\nAfter: A\n## A\nAfter: C\n## B\nAfter: A\n## C\nAfter: B\n";
  expect(problems(text)).toContain(
    'line 4: tasks that wait for each other could never start: "A" → "C" → "B" → "A"',
  );
});

it("reads a long chain, from its end, without a deep stack", () => {
  const tasks = Array.from({ length: 5_000 }, (_, i) => `## t${i}\n${i < 4_999 ? `After: #${i + 2}\n` : ""}`);
  expect(parseRunbook(`# G\n${tasks.join("")}`).tasks).toHaveLength(5_000);
  const ring = [...tasks.slice(0, -1), "## t4999\nAfter: #1\n"];
  expect(problems(`# G\n${ring.join("")}`)).toContain('"t4998" → "t4999" → "t0"');
});

it("knows fences within fences, tildes, indents and unclosed ones", () => {
  const text =
    "````md\n```sh\nno\n```\n````\n- list\n  ~~~bash timeout=500ms\n  yes\n    more\n  ~~~\n```sh\n\n```\n```jsx\nno\n```\n```SHELL timeout=2m\nopen";
  expect(fencesIn(text.split("\n")).map(({ first, last }) => [first, last])).toEqual([
    [1, 5],
    [7, 10],
    [11, 13],
    [14, 16],
    [17, null],
  ]);
  expect(scriptsIn(text)).toEqual([
    { text: "yes\n  more", source: "yes\n  more", timeoutMs: 500 },
    { text: "open", source: "open", timeoutMs: 120_000 },
  ]);
});

it("finds a fence whose end was forgotten, before it swallows the tasks behind it", () => {
  const text = "# G\n## a\n```sh\necho a\n\n## b\n```sh\necho b\n```\n## c\n````md\n```sh\nno\n```\n````\n";
  expect(problems(text)).toBe(`plan.md has a problem:
  line 3: the fence that opens here is still open in line 7, where another begins. Close it with a line of the same marks; to show a fence inside it, give it more marks.`);
  expect(fencesIn(["```md", "``` ", "~~~sh", "```js", "~~~"]).map(({ reopens }) => reopens)).toEqual([
    null,
    null,
  ]);
});

it("reads options whatever their case: a lower-case after: must not be lost", () => {
  const { tasks } = parseRunbook("# G\n## a\n## b\nafter: a\n- PRIORITY: 3\n");
  expect(tasks[1]).toMatchObject({ blockedBy: [{ nth: 0 }], priority: 3, description: "" });
});

const problemsOf = (text: string): string[] => {
  try {
    parseRunbook(text);
    return [];
  } catch (error) {
    return (error as Error).message
      .split("\n")
      .slice(1)
      .map((line) => line.trim());
  }
};

it.each([
  ["# \n## A\n", ["line 1: the goal is empty."]],
  ["# G\n##\n", ["line 2: a task without a subject."]],
  [
    "# G\n## A\nPlan: maybe\n",
    ['line 3: "Plan: maybe": write yes (its plan must be approved before anything is run) or no.'],
  ],
  [
    "# G\n## A\nAfter: C, B\n## C\n## B\nAfter: A\n",
    ['line 2: tasks that wait for each other could never start: "A" → "B" → "A".'],
  ],
  [
    "# G\n## A\n## B\nAfter: A, C\n## C\nAfter: A, B\n",
    ['line 3: tasks that wait for each other could never start: "B" → "C" → "B".'],
  ],
])("refuses %j", (text, problems) => expect(problemsOf(text)).toEqual(problems));

it("reads the report of the goal and the plans of tasks", () => {
  expect(parseRunbook("# G\nReport: out.md \n## A\nPlan: YES\n## B\nPlan: no\n")).toMatchObject({
    report: "out.md",
    tasks: [{ subject: "A", needsPlan: true }, { subject: "B" }],
  });
  expect(parseRunbook("# G\n## A\nPlan: no\n").tasks[0]).not.toHaveProperty("needsPlan");
  expect(parseRunbook("# G\n## A\n")).not.toHaveProperty("report");
});

const chain = (line: string): string => `# Ship\n\n## Build\nMakes it.\n\n## Test\n${line}\nTries it.\n`;

it.each([
  "Depends on: Build",
  "Blocked by: #1",
  "Needs: Build",
  "Requires: task 1",
  "Dependencies: 1",
  "depends_on: build",
  "blockedBy: #1",
  "**Depends on:** Build",
  "- **After**: Build",
  "\n* Blocked-by: Build",
  "Note: with care\nNeeds: Build",
  "*After:* Build",
  "_After_: Build",
  "`Depends on:` Build",
  "> After: Build",
  "- [ ] Depends on: Build",
  "After : Build",
  "After：Build",
  "Follows: Build",
  "Prerequisite: Build",
])("reads %j as an order", (line) => {
  expect(parseRunbook(chain(line)).tasks[1]?.blockedBy).toEqual([{ nth: 0 }]);
});

it("reads other words for plans and reviews, and no order where none is named", () => {
  const [, task] = parseRunbook(chain("Plan required: yes\nNeeds review: yes\nDepends on: none")).tasks;
  expect(task).toMatchObject({ needsPlan: true, blockedBy: [], description: "Review: yes\nTries it." });
});

it.each([
  ["Afer: Build", 'line 7: "Afer:" is not known. Did you mean "After:"?'],
  ["Depend on: Build", 'line 7: "Depend on:" is not known. Did you mean "Depends on:"?'],
  ["Prioritty: 3", 'line 7: "Prioritty:" is not known. Did you mean "Priority:"?'],
  ["Needs: Biuld", 'line 7: "Needs: Biuld": no task has that subject. Did you mean "Build"?'],
  ["Blocked by: #7", 'line 7: "Blocked by: #7": there are 2 tasks'],
  ["Owner: bob", 'line 7: "Owner:" is not known in a runbook. Write "Role:"'],
  ["Assigned to: bob", 'line 7: "Assigned to:" is not known in a runbook.'],
  ["Before: Build", 'line 7: "Before:" is not known in a runbook. Write "After:" in the task that waits'],
  ["Blocks: Build", 'line 7: "Blocks:" is not known in a runbook.'],
  ["Needs plan: maybe", 'line 7: "Needs plan: maybe": write yes'],
])("refuses %j with its line", (line, words) => {
  expect(problems(chain(line))).toContain(words);
});

it.each([
  "Note: after the build",
  "Rule: never push",
  "Files: src/a.ts, src/b.ts",
  "Example:",
  "It needs: a database",
  "1. Plan: write it",
  "It is red.\nBefore: Build",
  "Runs it.\nNeeds: a database\nOwner: everybody",
  "http://example.org: the page",
  "```sh\nDepends on: nothing\n```",
])("leaves %j as text", (text) => {
  const [, task] = parseRunbook(chain(text)).tasks;
  expect(task?.description).toBe(`${text}\nTries it.`);
  expect(task?.blockedBy).toEqual([]);
});

it("reads headings with closing marks", () => {
  const { tasks } = parseRunbook("# G\n\n## One ##\n\n##\tTwo #\t\n\n## C# \n\n## a #b\n", "x.md");
  expect(tasks.map(({ subject }) => subject)).toEqual(["One", "Two", "C#", "a #b"]);
});

const LONG = 100_000;
const blanks = " ".repeat(LONG);
it.each([
  ["a heading", `## a${blanks}x`],
  ["closing marks", `## a${" #".repeat(LONG / 2)}x`],
  ["a report", `Report: a${blanks}x\n\n## One`],
  ["an option", `## One\nAfter: a${blanks}x`],
  ["a key", `## One\n${blanks}After: x`],
  ["words before a colon", `## One\n${"a ".repeat(LONG / 2)}: x`],
  ["commas", `## One\nAfter: ${" ,".repeat(LONG / 2)}`],
  ["a fence", `## One\n\`\`\`${blanks}x\n\`\`\``],
  ["marks of a fence", `## One\n${"`".repeat(LONG)}a`],
  ["colons", `## One\n${"：".repeat(LONG)}`],
])("reads a line of 100,000 characters at once: %s", (_, text) => {
  const before = process.cpuUsage().user;
  try {
    parseRunbook(`# G\n\n${text}\n`, "x.md");
  } catch (error) {
    expect(error).toMatchObject({ code: "bad_input" });
  }
  // A pattern that goes back takes the square: 5 s or more.
  expect((process.cpuUsage().user - before) / 1_000).toBeLessThan(500);
});

it("reads a line with many blockers in a time that grows with their number, also where subjects have commas", () => {
  const time = (count: number): number => {
    const subjects = Array.from({ length: count }, (_, nth) => `Task, number ${nth}`);
    const tasks = subjects.map((subject) => `## ${subject}\n\nDo it.\n`).join("\n");
    const text = `# Many\n\n${tasks}\n## Last\n\nAfter: ${subjects.join(", ")}\n`;
    const began = performance.now();
    expect(parseRunbook(text).tasks.at(-1)?.blockedBy).toHaveLength(count);
    return performance.now() - began;
  };
  time(100);
  const [few, many] = [Math.min(time(250), time(250)), Math.min(time(1_000), time(1_000))];
  expect(many).toBeLessThan(10 * Math.max(few, 10));
});

it("keeps the lines of a task that the host reads, in one form", () => {
  const { tasks } = parseRunbook(
    "# Go\n\n## One\nCheck: npm test\nJudges: yes\nReview: no\n\nDo it.\nCheck: all is well.",
  );
  expect(tasks[0]?.description).toBe(
    "Check: `npm test`\nJudges: yes\nReview: no\n\nDo it.\nCheck: all is well.",
  );
  expect(() => parseRunbook("# Go\n\n## One\nJudges: perhaps")).toThrow(
    "write yes (it is meant to change tests",
  );
});

it("names each line with a NUL character", () => {
  const text = "# G\n\n## One\0\nCheck: a\0b\nTouches: a\0\n```sh\ntrue\0\n```\n";
  expect(() => parseRunbook(text, "plan.md")).toThrow(
    `plan.md has 4 problems:\n${[3, 4, 5, 7].map((line) => `  line ${line}: it holds a NUL character. Remove it.`).join("\n")}`,
  );
});
