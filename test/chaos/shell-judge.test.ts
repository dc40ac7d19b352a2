/**
 * The judge of shell lines against bash itself: random lines that it allows are run in a folder where the only harm is a program
 * that leaves a mark. A mark means that a denied command was allowed.
 */
import { type SpawnSyncOptions, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { decide, parseRule } from "../../src/core/permission/permission.ts";
import { disk } from "../../src/host/permission/disk.ts";
import { FUZZ } from "../fixtures/fuzz.ts";
import { takeAway } from "../fixtures/take-away.ts";

// biome-ignore format: a list of scraps reads best as a block
const SCRAPS = [
  "evil", "evil", "ev", "il", "'evil'", "e\\vil", " ", " ", " ", "'", '"', "\\", "$", "(", ")", "{", "}", "{ ", "; }", "`", "<", ">", "|", "&", ";", "\n", "#",
  "=", "[", "case x in x) ", ";; esac", "for x in evil", "; do ", "; done", "<<E\n", "\nE\n", "$((", "))", "${", ",", "if ", "; then ", "; fi", "x=(", "x=", "$x",
  "${x}", "bash -c ", "xargs ", "eval ", "$(", "f() ", "f", "function f ", "echo ", "true && ", "$'", "<(", "<<<", "!", "[[ ", " ]]", "${x:-", "env ", "env X=1 ",
  "timeout 2 ", "time ", "exec ", "command ", "builtin ", "eval '", "export ", "x='", "alias x=", "trap ", " EXIT", "@", "${x@P}", "set -- ", '"$@"', "nohup ", "|&",
  "&>", "2>", "<&", "coproc ", "select x in ", "until ", "while ", "a", "*", "?", "~",
];
const HARMLESS = ["cat", "echo", "env", "nohup", "timeout", "xargs", "bash"];
const NARROW = ["echo", "f", "true", "cat", "env", "a", "x"].map((name) =>
  parseRule("allow", `bash(${name}*)`),
);
const DENYING = [parseRule("allow", "bash"), parseRule("deny", "bash(evil*)")];

/** Ends the processes that a line left in the group of its shell, so that they do not slow the next lines. */
function killGroup(leader: number): void {
  if (!leader) return; // it could not be started: 0 would be our own group
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // The group is empty.
  }
}

it("allows no line that runs a denied program, or one that no rule allows", async () => {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "ekiden-judge-")));
  const bin = join(top, "bin");
  mkdirSync(bin);
  for (const name of HARMLESS)
    symlinkSync(spawnSync("which", [name], { encoding: "utf8" }).stdout.trim(), join(bin, name));
  const call = { tool: "bash", access: "exec", workspace: join(top, "workspace"), disk } as const;
  let marks = 0;
  let runs = 0;

  const runsEvil = (line: string): boolean => {
    runs += 1;
    // Each line has its own folder and program, so a process left by an earlier line cannot leave a mark here.
    const own = join(top, `evil-${runs}`);
    const mark = join(own, "mark");
    const workspace = join(own, "workspace");
    mkdirSync(workspace, { recursive: true });
    writeFileSync(join(own, "evil"), `#!/bin/sh\n: > '${mark}'\n`, { mode: 0o755 });
    // `detached` gives the line a process group of its own; the pipes keep this call waiting until its background ends.
    const { pid } = spawnSync("/bin/bash", ["-c", line], {
      cwd: workspace,
      detached: true,
      env: { PATH: `${own}:${bin}` },
      timeout: 1_500,
      stdio: ["ignore", "pipe", "pipe"],
    } as SpawnSyncOptions);
    killGroup(pid);
    return existsSync(mark);
  };
  try {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...SCRAPS), { minLength: 2, maxLength: 20 }),
        fc.nat(299),
        async (scraps, sample) => {
          const subject = scraps.join("");
          const allowed =
            (await decide(DENYING, "bypass", { ...call, subject, line: subject })).effect === "allow" ||
            (await decide(NARROW, "default", { ...call, subject, line: subject })).effect === "allow";
          // One in 300 of the refused lines runs, too: if none of them left a mark, the test would prove nothing.
          if (allowed) expect(runsEvil(subject)).toBe(false);
          else if (sample === 0 && runsEvil(subject)) marks += 1;
        },
      ),
      { ...FUZZ, numRuns: 40_000, interruptAfterTimeLimit: 100_000, markInterruptAsFailure: false },
    );
    expect(marks).toBeGreaterThan(0);
  } finally {
    takeAway(top);
  }
});
