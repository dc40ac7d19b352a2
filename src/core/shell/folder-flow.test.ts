/** These tests follow `cd` through lines: each `at` says in which folders it may run; null where nobody can be sure. */
import { expect, it } from "vitest";
import { type Command, readLine, withInner } from "./command.ts";
import { folderFlow } from "./folder-flow.ts";
import type { Disk, Place } from "./places.ts";
import { programOf } from "./plain.ts";

const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  "/": ["w", "etc", "home"],
  "/w": ["src", "lib", "out"],
  "/w/src": ["deep"],
  "/w/src/deep": [],
  "/w/lib": [],
  "/home/me": [],
  "/etc": [],
};
const real = (path: string): string => path.replace(/^\/w\/out(?=\/|$)/, "/etc");
const disk: Disk = { real, entries: (folder) => FOLDERS[real(folder)] ?? null };

function probes(line: string, more: Partial<Place> = {}): (readonly string[] | null)[] {
  const read = readLine(line);
  const at = folderFlow(read, { workspace: "/w", home: "/home/me", disk, ...more });
  const asked: Command[] = read.commands.flatMap(withInner).filter((one) => programOf(one) === "at");
  return asked.map((one) => {
    const { all, sure } = at(one);
    return sure ? [...all].sort() : null;
  });
}

it.each([
  ["at", [["/w"]]],
  ["cd src && at", [["/w/src"]]],
  ["cd src && at && cd deep && at", [["/w/src"], ["/w/src/deep"]]],
  ["cd src && cd .. && at", [["/w"]]],
  ["cd src; at", [["/w/src"]]],
  ["cd new; at", [["/w", "/w/new"]]],
  ["cd new && at; at", [["/w/new"], ["/w", "/w/new"]]],
  ["cd new || at", [["/w"]]],
  ["cd new || exit 1; at", [["/w/new"]]],
  ["cd new || exit 1 2; at", [["/w", "/w/new"]]],
  ["cd new\nat", [["/w", "/w/new"]]],
  ["make; cd src; at", [["/w", "/w/src"]]],
  ["rmdir src; cd src; at", [["/w", "/w/src"]]],
  ["(cd src && at); at", [["/w/src"], ["/w"]]],
  ["{ cd new && at; }; at", [["/w/new"], ["/w", "/w/new"]]],
  ["cd src & at", [["/w"]]],
  ["cd new | at; at", [["/w"], ["/w"]]],
  ["true | cd new; at", [["/w", "/w/new"]]],
  ["at $(cd src && at)", [["/w/src"], ["/w"]]],
  ["x=$(cd src; at); at", [["/w/src"], ["/w"]]],
  [
    "if cd new; then at; fi; at",
    [
      ["/w", "/w/new"],
      ["/w", "/w/new"],
    ],
  ],
  ["if true; then cd new; fi; at", [["/w", "/w/new"]]],
  ["if ! cd new; then at; fi", [["/w", "/w/new"]]],
  [
    "case x in a) cd src;; b) at;; esac; at",
    [
      ["/w", "/w/src"],
      ["/w", "/w/src"],
    ],
  ],
  ["for d in src lib; do (cd $d && at); done; at", [["/w/src"], ["/w/lib"], ["/w"]]],
  ["while true; do cd new && break; done; at", [null]],
  ["while read x; do cd deeper; at; done", [null]],
  ["while cd new; do cd ..; done; at", [null]],
  ["until cd /etc; do true; done; at", [["/etc", "/w"]]],
  ["for x in *; do cd new || continue; pwd; cd /w; done; at", [null]],
  ["while :; do while :; do cd new; break 2; done; cd /w; done; at", [null]],
  ["for x in a b; do cd new && break; cd lib; done; at", [null]],
  ["while x; do cd /etc; continue; done; at", [["/etc", "/w"]]],
  ["while :; do while :; do cd /etc; break 2; done; cd /w; done; at", [["/etc", "/w"]]],
  ["cd src && cd - && at", [null]],
  ["cd - && at", [null]],
  ["cd src || exit; at", [["/w/src"]]],
  ["pushd src && at && popd && at", [["/w/src"], null]],
  ["pushd && at", [null]],
  ["popd && at", [null]],
  ["pushd +1 && at", [null]],
  ["cd && at", [["/home/me"]]],
  ["cd ~/x && at", [["/home/me/x"]]],
  ["cd -P src && at", [["/w/src"]]],
  ["cd -- src && at", [["/w/src"]]],
  [
    "cd out && at && cd .. && at",
    [
      ["/etc", "/w/out"],
      ["/", "/w"],
    ],
  ],
  ['cd "$X" && at', [null]],
  ['cd "$X"; at', [null]],
  ['cd "$X" || at', [["/w"]]],
  ["cd s* && at", [null]],
  ["cd src lib; at", [null]],
  ["cd ~other && at", [null]],
  ["command cd src && at", [["/w", "/w/src"]]],
  ["eval 'cd src' && at", [["/w", "/w/src"]]],
  ['eval "$X"; cd src; at', [null]],
  ["bash -c 'cd src && at'; at", [["/w", "/w/src"], ["/w"]]],
  ["source x; cd src && at", [null]],
  ["cd() { :; }; cd src && at", [null]],
  ["exit() { :; }; cd src || exit 1; at", [null]],
  ["f() { cd src; }; f; cd lib && at", [null]],
  ["f() { at; }; cd src && f", [null]],
  ["CDPATH=/etc; cd src && at", [null]],
  ["export CDPATH=/etc; cd src && at", [null]],
  ["alias at=x; cd src && at", [null]],
  ["trap 'cd lib' DEBUG; cd src && at", [null]],
  ["break; cd src && at", [["/w/src"]]],
  ["cd src && { at > x; } && at", [["/w/src"], ["/w/src"]]],
  ["[[ -d src ]] && cd src && at", [["/w/src"]]],
] as const)("%s: %j", (line, expected) => {
  expect(probes(line)).toEqual(expected);
});

it("loops in loops cost no more than a number of steps, and none is sure behind them", () => {
  const depth = 30;
  const line = `${"while :; do cd /w/src; ".repeat(depth)}${"cd /w/lib; done; ".repeat(depth)}at`;
  expect(probes(line)).toEqual([null]);
});

it("a folder that may have been removed is entered in the sandbox, which holds the line anyway", () => {
  expect(probes("make; cd src; at", { confined: true })).toEqual([["/w/src"]]);
  expect(probes("for d in src lib; do cd $d && at; cd ..; done; at", { confined: true })).toEqual([
    ["/w/src"],
    ["/w/lib"],
    ["/w"],
  ]);
  expect(probes("make; cd new; at", { confined: true })).toEqual([["/w", "/w/new"]]);
});

it("opens a redirection of a whole block in the folder before it", () => {
  const line = readLine("{ cd src; at; } > ../x");
  const at = folderFlow(line, { workspace: "/w", disk });
  const block = line.commands.find(({ words, redirects }) => words.length === 0 && redirects.length > 0);
  expect(block && at(block)).toEqual({ all: ["/w"], sure: true });
});

it("ends soon for loops in loops", () => {
  const line = `${"while true; do cd a; ".repeat(12)} at; ${"done; ".repeat(12)}`;
  expect(probes(line)).toEqual([null]);
});
