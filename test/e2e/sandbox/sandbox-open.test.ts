/** A sandbox that is there and fails never opens by itself: it is tried again, and then the person is asked, or the command refused. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bubblewrapOrSkip } from "../../fixtures/bubblewrap.ts";
import { closeConfined, confined } from "../../fixtures/confined.ts";
import { isRoot } from "../../fixtures/other-user.ts";
import { project } from "../../fixtures/project.ts";

/** Where commands cannot write, so that a program of it may confine them. */
let place: string;
let base: string;
let workspace: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "ekiden-open-")));
  workspace = join(base, "ws");
  mkdirSync(workspace);
  place = realpathSync(mkdtempSync(join(isRoot ? "/var/lib" : homedir(), "ekiden-open-")));
});
afterEach(() => {
  for (const folder of [base, place]) rmSync(folder, { recursive: true, force: true });
});

/** A bubblewrap that fails as often as the file `failures` has lines. */
const FAILING = (words: string): string =>
  `#!/bin/sh\nif [ -s "$0.failures" ]; then sed -i 1d "$0.failures"; echo "${words}" >&2; exit 1; fi\nPATH=\${PATH#*:} exec bwrap "$@"\n`;
/** One that confines nothing. */
const OPEN = `#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done; shift; exec "$@"\n`;
const pathWith = (program: string, failures = 0): string => {
  writeFileSync(join(place, "bwrap"), program, { mode: 0o755 });
  writeFileSync(join(place, "bwrap.failures"), "x\n".repeat(failures));
  return `${place}:${process.env.PATH}`;
};
const GONE = "bwrap: Can't find source path /srv/x.sock: No such file or directory";
const NO_NAMESPACE = "bwrap: No permissions to create new namespace";

bubblewrapOrSkip(describe)("sandbox: auto", () => {
  it.each([
    ["sockets that went while it was proven", "on", FAILING(GONE), 5],
    ["faults that do not end", "refused", FAILING(GONE), 1_000],
    ["no user namespaces", "refused", FAILING(NO_NAMESPACE), 1_000],
    ["a program that confines nothing", "refused", OPEN, 0],
  ] as const)("%s: %s", async (_, expected, program, failures) => {
    const env = { PATH: pathWith(program, failures), HOME: base };
    const parts = confined(base, workspace, { mode: "auto", env });
    const options = { cwd: workspace, signal: new AbortController().signal, timeoutMs: 60_000 };
    const outside = join(base, "outside");
    const line = `touch ran; echo x > ${outside}`;
    const ran = await parts.shell.run(line, options).catch((error: Error) => error.message);
    const { active, isFaulty, text } = await parts.sandbox.status();
    expect(existsSync(outside)).toBe(false);
    expect({ active, isFaulty }).toEqual({ active: expected === "on", isFaulty: expected === "refused" });
    if (expected === "refused") {
      expect(ran).toContain("does not hold on this system");
      expect(text).toContain("So no command runs");
      expect(existsSync(join(workspace, "ran"))).toBe(false);
      // A moment later it may hold.
      if (failures > 0) {
        writeFileSync(join(place, "bwrap.failures"), "");
        await parts.shell.run(line, options);
        expect(existsSync(join(workspace, "ran"))).toBe(true);
        expect(existsSync(outside)).toBe(false);
      }
    }
    await closeConfined(parts);
  });

  const PLAN = "# Work\n\n## Task: Touch\n\n```sh\ntouch ran\n```\n";
  it.each([
    ["y", true],
    ["n", false],
    ["", false],
  ])("asks on a terminal: %j", async (answer, runs) => {
    const own = project();
    own.write({ "plan.md": PLAN });
    const env = { PATH: pathWith(FAILING(NO_NAMESPACE), 1_000), EKIDEN_SANDBOX: "auto" };
    const args = ["run", "plan.md", "--permission-mode", "bypass", "--plain"];
    const terminal = await own.open(args, { columns: 120, rows: 30, env });
    await terminal.shows(
      /does not hold on this system: [\s\S]*No permissions[\s\S]*without a sandbox, this time\?/,
    );
    terminal.type(`${answer}\r`);
    await terminal.ended;
    expect(existsSync(join(own.dir, "ran")), terminal.output).toBe(runs);
  });

  it("refuses without a terminal, and the first lines give the reason", async () => {
    const own = project();
    own.write({ "plan.md": PLAN });
    const env = { PATH: pathWith(FAILING(NO_NAMESPACE), 1_000), EKIDEN_SANDBOX: "auto" };
    const ran = await own.run(["run", "plan.md", "--permission-mode", "bypass"], { env });
    expect(ran.stderr).toMatch(/Sandbox off: bubblewrap .* does not hold on this system: .*No permissions/);
    expect(ran.code).not.toBe(0);
    expect(existsSync(join(own.dir, "ran"))).toBe(false);
    const again = await own.run(["doctor"], { env });
    expect(again.stdout.replace(/\s+/g, " ")).toContain("So no command runs");
    expect(readFileSync(join(own.dir, "plan.md"), "utf8")).toBe(PLAN);
  });
});
