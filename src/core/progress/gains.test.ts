/** These tests check what counts as progress, and what does not. */
import { describe, expect, it } from "vitest";
import { FileChanges } from "./file-changes.ts";
import { type Gain, Gains, type Step } from "./gains.ts";
import { Moves } from "./moves.ts";
import { NewLines } from "./new-lines.ts";
import { settled, settledFile } from "./volatile.ts";

const step = (tool: string, input: unknown, text = "", isError = false): Step => ({
  ...{ tool, input, text, isError },
  traits: {
    ...{ aboutTeam: false, createsTasks: false, completes: false },
    writes: tool === "write_file" || tool === "edit_file",
    looks: tool === "bash" || tool === "read_file",
  },
});
const run = (command: string, text: string): Step => step("bash", { command }, text);
const write = (path: string, content: string): Step => step("write_file", { path, content });
const gainsOf = (...steps: readonly Step[]): Gain[] => {
  const gains = new Gains();
  return steps.map((one) => gains.of([one]));
};

describe("an answer", () => {
  it("is found once, and again only with a new line", () => {
    expect(gainsOf(run("a", "one"), run("b", "one"), run("c", "one\ntwo"))).toEqual([
      "found",
      "nothing",
      "found",
    ]);
  });

  it("is nothing new when it echoes what was asked, or differs in random digits", () => {
    expect(gainsOf(run("echo tree bark", "tree bark"))).toEqual(["nothing"]);
    expect(gainsOf(run("a", "n 50"), run("b", "n 20"), run("c", "n 31"))).toEqual([
      "found",
      "nothing",
      "nothing",
    ]);
  });

  it("in new words, or with figures that rise, counts in part until 40 calls are saved, then whole until something lasts", () => {
    const rises = gainsOf(...Array.from({ length: 100 }, (_, n) => run(`x${n}`, `page ${n}`)));
    expect(rises.filter((gain) => gain === "step")).toHaveLength(78); // and the first one is found
    expect(rises.slice(79)).toEqual(Array(21).fill("nothing"));
    const words = Array.from({ length: 60 }, (_, n) => run(`x${n}`, "kmt".repeat(n + 1)));
    const gains = gainsOf(
      ...words,
      run("y", "page 1"),
      run("z", "page 2"),
      write("a", "one\n"),
      run("w", "other"),
    );
    expect(gains.slice(52, 54)).toEqual(["found", "nothing"]);
    expect(gains.slice(60)).toEqual(["nothing", "nothing", "lasting", "found"]);
  });

  it("of a file counts in part without a limit, where most of it was not read before", () => {
    const rows = (from: number): string => Array.from({ length: 9 }, (_, n) => `row ${from + n}`).join("\n");
    const read = (offset: number): Step => step("read_file", { path: "a", offset }, rows(offset));
    const pages = gainsOf(...Array.from({ length: 70 }, (_, n) => read(1 + 9 * n)));
    expect(pages).toEqual(Array(70).fill("found"));
    const shifted = gainsOf(...Array.from({ length: 70 }, (_, n) => read(1 + 2 * n)));
    expect(shifted.slice(60)).toEqual(Array(10).fill("nothing"));
  });

  it("saves one call for all that a reply found", () => {
    const gains = new Gains();
    const reply = (n: number): Gain =>
      gains.of([run(`x${n}`, "kmt".repeat(n + 1)), run(`y${n}`, "dsw".repeat(n + 1))]);
    expect(Array.from({ length: 53 }, (_, n) => reply(n))).toEqual(Array(53).fill("found"));
  });

  it("is given back what commands wrote meanwhile", () => {
    const gains = new Gains();
    for (let n = 0; n < 60; n += 1) gains.of([run(`x${n}`, "kmt".repeat(n + 1))]);
    gains.giveBack(1);
    expect([gains.of([run("y", "other")]), gains.of([run("z", "words")])]).toEqual(["found", "nothing"]);
  });

  it("of a file is new by its digits, but not by the line that says which lines these are", () => {
    const read = (offset: number, text: string): Step => step("read_file", { path: "a", offset }, text);
    expect(
      gainsOf(
        read(1, "row 1\nrow 2\nof 9: 1-2"),
        read(3, "row 3\nrow 4\nof 9: 3-4"),
        read(2, "row 2\nrow 3\nof 9: 2-3"),
      ),
    ).toEqual(["found", "found", "nothing"]);
  });
});

describe("a file", () => {
  it("counts while more stands than ever", () => {
    const files = new FileChanges();
    expect(files.judge({ path: "a", content: "one" })).toBe("lasting");
    files.takenBack("a");
    expect(files.judge({ path: "b", content: "two" })).toBe("nothing");
    expect(files.judge({ path: "c", content: "three" })).toBe("lasting");
  });

  it("that is removed long after it was written was progress in its time", () => {
    const files = new FileChanges();
    files.judge({ path: "a", content: "one" });
    for (let n = 0; n <= 100; n += 1) files.tick();
    files.takenBack("a");
    expect(files.judge({ path: "b", content: "two" })).toBe("lasting");
  });

  it("counts no further where only some of its changes were taken back", () => {
    const files = new FileChanges();
    const to = (n: number): string => files.judge({ path: "a", old: `old ${n}`, new: `new ${n}` });
    expect([to(1), to(2), to(3)]).toEqual(["lasting", "lasting", "lasting"]);
    files.takenBack("a", 2);
    expect([to(4), to(5)]).toEqual(["nothing", "lasting"]);
  });

  it("with the content of another one is a copy; with other digits it is not", () => {
    expect(gainsOf(write("a", "x 1"), write("b", "x 1"), write("c", "x 2"))).toEqual([
      "lasting",
      "watched",
      "lasting",
    ]);
  });

  it("in which only the time differs is the same", () => {
    expect(gainsOf(write("a", "at 10:00:01\n"), write("a", "at 10:00:01\nat 10:00:02\n"))).toEqual([
      "lasting",
      "nothing",
    ]);
  });

  it("that commands fill with random numbers gains no lines; one in which lines are replaced does", () => {
    const log = new FileChanges();
    expect(log.found("log", "start\n90")).toEqual({ changed: 0.5, grown: 1 });
    expect(log.found("log", "start\n90\n17\n33")).toEqual({ changed: 0, grown: 0 });
    const work = new FileChanges();
    work.found("a", "v 1 = 0\nv 2 = 0");
    expect(work.found("a", "v 1 = 1\nv 2 = 0")).toEqual({ changed: 2, grown: 0 });
  });

  it("that a call changed is no work of commands, until they change it later", () => {
    const files = new FileChanges();
    files.found("src/a", "one\ntwo");
    files.judge({ path: "/project/src/a", old: "one", new: "six" });
    expect(files.found("src/a", "six\ntwo")).toEqual({ changed: 0, grown: 0 });
    expect(files.found("src/a", "six\nten")).toEqual({ changed: 2, grown: 0 });
  });

  it("that is written anew gains while something of the last version stays", () => {
    const changes = (...versions: readonly string[]): string[] => {
      const files = new FileChanges();
      return versions.map((content) => files.judge({ path: "a", content }));
    };
    expect(changes("a", "b\nc", "b\nc\nd", "c\nd\ne\nf\ng")).toEqual(Array(4).fill("lasting"));
    expect(changes("a", "b\nc", "d\ne\nf", "g\nh\ni\nj")).toEqual([
      "lasting",
      "lasting",
      "nothing",
      "nothing",
    ]);
  });

  it("that is counted on counts half: without a limit, where nothing is looked at in between", () => {
    const edit = (n: number): Step => step("edit_file", { path: "a", old: `v ${n}`, new: `v ${n + 1}` });
    const count = (gains: readonly Gain[]): number => gains.filter((gain) => gain === "step").length;
    const edits = Array.from({ length: 120 }, (_, n) => edit(n + 1));
    expect(count(gainsOf(...edits))).toBe(119); // the first one lasts
    expect(count(gainsOf(...edits.flatMap((one) => [one, run("test", "1 failed")])))).toBe(78);
  });
});

it("tells figures with an end from a clock, and a random one from both", () => {
  const last = (texts: readonly string[]): string => {
    const moves = new Moves();
    return texts.map((text) => moves.of(text)).at(-1) ?? "";
  };
  const counted = (text: (n: number) => string) => [1, 2, 3, 4, 5].map(text);
  expect(last(counted((n) => `${n} of 50 checks`))).toBe("nearer");
  expect(last(counted((n) => `${n} %`))).toBe("nearer");
  expect(last(counted((n) => `${9 - n} are pending`))).toBe("nearer");
  expect(last(counted((n) => `${90_000 - n} kB free`))).toBe("further");
  expect(last(counted((n) => `up ${7 * n}`))).toBe("further");
  expect(last(counted((n) => `load ${(7 * n) % 5}`))).toBe("none");
  expect(last(counted(() => "the same 7"))).toBe("none");
});

it("follows a figure that stands still at times", () => {
  const moves = new Moves();
  const seen = [1, 1, 1, 2, 2, 3, 3, 3, 4].map((n) => moves.of(`ready: ${n}/15`));
  expect(seen.at(-1)).toBe("nearer");
  expect(seen.at(-2)).toBe("none");
});

it("tells names in a file from the numbers of jobs in a result", () => {
  expect(settled("job c1 ended")).toBe(settled("job c2 ended"));
  expect(settledFile("add c1 int")).not.toBe(settledFile("add c2 int"));
  expect(settledFile("at 10:30, pid 77")).toBe(settledFile("at 11:30, pid 78"));
});

it("knows a line again, and one with lower digits", () => {
  const lines = new NewLines();
  expect(["a 5", "a 5", "a 3", "a 9", "b"].map((line) => lines.of(line))).toEqual([
    ...["new", "known", "other", "risen", "new"],
  ]);
});
