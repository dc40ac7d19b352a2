/** Real shells: what is kept of their output, and that nothing they start outlives them. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { soon } from "../../../test/fixtures/soon.ts";
import { takeAway } from "../../../test/fixtures/take-away.ts";
import type { Shell, ShellOptions } from "../../ports/shell.ts";
import { descendantsOf, isAlive, processesOf } from "../process-table.ts";
import { createShell } from "./index.ts";

let folder: string;
let shell: Shell;
const marks: string[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ekiden-shell-"));
  shell = createShell({ outputDir: join(folder, "output") });
});

afterEach(async () => {
  await shell.close();
  takeAway(folder);
  for (const mark of marks.splice(0)) expect(marked(mark)).toEqual([]);
});

/** A mark that is in the environment of everything a command starts. */
function mark(): { env: Record<string, string>; value: string } {
  const value = `mark-${marks.length}-${process.pid}-${performance.now()}`;
  marks.push(value);
  return { env: { EKIDEN_TEST_MARK: value }, value };
}
const marked = (value: string): number[] => processesOf(`EKIDEN_TEST_MARK=${value}`);

const options = (more: Partial<ShellOptions> = {}): ShellOptions => ({
  cwd: folder,
  signal: new AbortController().signal,
  timeoutMs: 600_000,
  ...more,
});
const run = (command: string, more: Partial<ShellOptions> = {}) => shell.run(command, options(more));

/** As soon as so many of its processes run. */
const family = (value: string, size: number) =>
  soon(() => expect(marked(value).length).toBeGreaterThanOrEqual(size));

describe("a command", () => {
  it("gives its output, both streams in order, and its exit code", async () => {
    const result = await run("echo one; echo two >&2; echo three; exit 3");
    expect(result).toMatchObject({ exitCode: 3, signal: null, output: "one\ntwo\nthree\n", timedOut: false });
    expect(result).toMatchObject({ totalBytes: 14, spooledTo: null });
  });

  it("keeps the line numbers of its own errors", async () => {
    expect((await run("true\nnosuchcommand")).output).toContain("line 2: nosuchcommand: command not found");
  });

  it("reports a syntax error", async () => {
    const result = await run("if");
    expect(result.exitCode).toBe(2);
    expect(result.output).toContain("syntax error");
  });

  it("says which signal ended it", async () => {
    expect(await run("kill -KILL $$")).toMatchObject({ exitCode: null, signal: "SIGKILL", timedOut: false });
  });

  it("has no stdin unless it is given some", async () => {
    expect((await run("cat; echo end")).output).toBe("end\n");
    expect((await run("cat", { input: "given\n" })).output).toBe("given\n");
    expect((await run("exec true", { input: "x".repeat(1_000_000) })).exitCode).toBe(0);
  });

  it("runs nothing of the user's own before it, also when its input makes bash take itself for a remote shell", async () => {
    const home = mkdtempSync(join(folder, "home-"));
    writeFileSync(join(home, ".bashrc"), 'touch "$HOME/ran"; echo from .bashrc\n');
    const { output } = await run("cat", { input: "given\n", env: { HOME: home } });
    expect([output, existsSync(join(home, "ran"))]).toEqual(["given\n", false]);
  });

  it("runs where it is told to, and says so when that is nowhere", async () => {
    expect((await run("pwd -P")).output).toBe(`${(await run("realpath .")).output}`);
    const nowhere = join(folder, "missing");
    await expect(run("true", { cwd: nowhere })).rejects.toThrow(`The folder ${nowhere} does not exist`);
  });

  it("takes what it can get of output that is not text", async () => {
    const result = await run(String.raw`printf 'a\0b\377c'`);
    expect(result).toMatchObject({ output: "a\u2400b\ufffdc", totalBytes: 5 });
  });

  it("that is too long to start is refused with the remedy", async () => {
    await expect(run(`: ${"x".repeat(5_000_000)}`)).rejects.toThrow(
      /cannot be started.*put them into a file/,
    );
  });

  it("sees harmless variables and those that are named, and no others", async () => {
    const secret = {
      ANTHROPIC_API_KEY: "sk-1",
      GITHUB_TOKEN: "sk-2",
      DATABASE_URL: "postgres://u:sk-3@h/d",
      EKIDEN_STORE: "postgres://u:sk-4@h/d",
      HTTPS_PROXY: "http://sk-5@proxy:8080",
      EKIDEN_PROXY_TOKEN: "sk-6",
      SENTRY_DSN: "sk-7",
      COMPANY_INTERNAL: "sk-8",
      HIDDEN_ALTHOUGH_NAMED: "sk-9",
    };
    const seen = {
      PATH: process.env.PATH,
      LC_ALL: "C",
      EKIDEN_TEAM: "blue",
      MY_FLAG: "1",
      DEPLOY_KEY: "mine",
    };
    await shell.close();
    shell = createShell({
      outputDir: folder,
      env: { ...secret, ...seen },
      passEnv: ["DEPLOY_KEY", "MY_*", "HIDDEN_ALTHOUGH_NAMED"],
      hideEnv: ["HIDDEN_ALTHOUGH_NAMED"],
    });
    const { output } = await run("env", { env: { GIVEN: "given" } });
    expect(output).not.toContain("sk-");
    for (const line of ["LC_ALL=C", "EKIDEN_TEAM=blue", "MY_FLAG=1", "DEPLOY_KEY=mine", "GIVEN=given"])
      expect(output.split("\n")).toContain(line);
  });
});

describe("exec", () => {
  it("runs a program without a shell", async () => {
    const result = await shell.exec("echo", ["$HOME", "a  b"], options());
    expect(result.output).toBe("$HOME a  b\n");
  });

  it("finds the bundled ripgrep", async () => {
    expect((await shell.exec("rg", ["--version"], options())).output).toContain("ripgrep");
  });

  it("takes no program from the project, also where PATH names a folder of it", async () => {
    const project = join(folder, "planted");
    const own = join(folder, "own");
    for (const [at, says] of [
      [join(project, "node_modules/.bin"), "planted"],
      [own, "own"],
    ] as const) {
      mkdirSync(at, { recursive: true });
      writeFileSync(join(at, "some-tool"), `#!/bin/sh\necho ${says}\n`, { mode: 0o755 });
    }
    const cwd = join(project, ".ekiden/worktrees/1-a");
    mkdirSync(cwd, { recursive: true });
    const started = (...more: readonly string[]) => {
      const PATH = [join(project, "node_modules/.bin"), ...more, process.env.PATH].join(":");
      const made = createShell({ outputDir: join(folder, "out"), env: { ...process.env, PATH } });
      return made.exec("some-tool", [], options({ cwd })).finally(() => made.close());
    };
    expect((await started(own)).output).toBe("own\n");
    await expect(started()).rejects.toMatchObject({ details: { missing: true } });
  });

  it("says when there is no such program", async () => {
    const failure = shell.exec("no-such-program", [], options());
    await expect(failure).rejects.toMatchObject({ code: "tool_failed", details: { missing: true } });
  });
});

describe("a command with an output file of its own", () => {
  it("writes both streams there as they come, and its process is known at once", async () => {
    const outputFile = join(folder, "output", "job.txt");
    const pids: number[] = [];
    const result = await run("echo one; echo two >&2; echo $$; exit 4", {
      outputFile,
      onStart: (pid) => pids.push(pid),
    });
    const written = readFileSync(outputFile, "utf8");
    expect(written).toBe(`one\ntwo\n${pids[0]}\n`);
    expect(result).toMatchObject({
      exitCode: 4,
      output: "",
      totalBytes: written.length,
      spooledTo: outputFile,
    });
    expect(statSync(outputFile).mode & 0o077).toBe(0);
    await expect(run("true", { outputFile })).rejects.toThrow("cannot be kept in");
  });
});

describe("much output", () => {
  it("is kept as head and tail, cut between characters, and whole in a file", async () => {
    const result = await run('for i in $(seq 200); do echo "$i ééé"; done', { keepBytes: 101 });
    const whole = readFileSync(result.spooledTo ?? "", "utf8");
    expect(whole.split("\n")).toHaveLength(201);
    expect(result.totalBytes).toBe(Buffer.byteLength(whole));
    expect(result.output).not.toContain("\ufffd");
    const [head = "", tail = ""] = result.output.split(/\n\[… \d+ bytes left out …\]\n/);
    expect(whole.startsWith(head) && head.length > 25).toBe(true);
    expect(whole.endsWith(tail) && tail.length > 25).toBe(true);
    expect(statSync(result.spooledTo ?? "").mode & 0o077).toBe(0);
  });

  it("of 300 MB leaves memory flat and the file whole", async () => {
    const before = process.memoryUsage.rss();
    let peak = before;
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
    }, 10);
    const result = await run("head -c 300000000 /dev/zero | tr '\\0' x");
    clearInterval(watch);
    expect(result.totalBytes).toBe(300_000_000);
    expect(statSync(result.spooledTo ?? "").size).toBe(300_000_000);
    expect(result.output.length).toBeLessThan(30_100);
    expect(peak - before).toBeLessThan(200_000_000);
  });

  it("is kept up to a limit, and the rest is counted", async () => {
    const result = await run("head -c 3000000 /dev/zero | tr '\\0' x", { outputMax: 1_000_000 });
    expect(statSync(result.spooledTo ?? "").size).toBe(1_000_000);
    expect(result).toMatchObject({ exitCode: 0, totalBytes: 3_000_000, droppedBytes: 2_000_000 });
    expect(result.output).toContain("the file ends after 1000000 bytes");
  });

  it("in a file of its own is cut while the command runs, and the rest is counted", async () => {
    const outputFile = join(folder, "output", "endless.txt");
    const stop = new AbortController();
    const endless = run("yes", { outputFile, outputMax: 1_000_000, signal: stop.signal });
    await soon(() => expect(statSync(outputFile).size).toBe(1_000_000));
    stop.abort(new Error("enough"));
    await expect(endless).rejects.toThrow("enough");
    expect(statSync(outputFile).size).toBe(1_000_000);
    const ended = await run("seq 1000000", { outputFile: `${outputFile}2`, outputMax: 1_000 });
    // Output between the look and the cut is lost uncounted.
    expect(ended.droppedBytes).toBeGreaterThan(100_000);
    expect(ended.totalBytes).toBe(1_000 + ended.droppedBytes);
  });

  it("that cannot be spooled is said, and the command still ends", async () => {
    await shell.close();
    shell = createShell({ outputDir: join(folder, "file", "output") });
    writeFileSync(join(folder, "file"), "in the way");
    const result = await run("seq 100000");
    expect(result).toMatchObject({ exitCode: 0, spooledTo: null });
    expect(result.output).toContain("left out, and not kept:");
  });
});

describe("the end of a command", () => {
  const FAMILY =
    "sleep 60 & (sleep 60; true) & setsid sleep 60 & (setsid nohup sleep 60 >/dev/null 2>&1 &) ; ";

  it("does not wait for a child that holds its pipes, and close ends that child", async () => {
    const { env, value } = mark();
    const result = await run("sleep 60 & echo done", { env });
    expect(result).toMatchObject({ exitCode: 0, output: "done\n" });
    expect(result.ms).toBeLessThan(30_000); // of 60 s that the child takes
    expect(marked(value)).toHaveLength(1);
    await shell.close();
    expect(marked(value)).toEqual([]);
  });

  it("lets a background child print without end", async () => {
    const { env, value } = mark();
    const result = await run("yes & echo done", { env });
    expect(result.exitCode).toBe(0);
    // The shell may have ended before its child is another program.
    await soon(() => expect(marked(value)).toHaveLength(1));
  });

  it("by timeout takes nested, background and setsid children along", async () => {
    const { env, value } = mark();
    const result = await run(`${FAMILY} sleep 60`, { env, timeoutMs: 200 });
    expect(result).toMatchObject({ timedOut: true, signal: "SIGTERM" });
    expect(marked(value)).toEqual([]);
  });

  it("by abort does the same, and rejects with the reason", async () => {
    const { env, value } = mark();
    const controller = new AbortController();
    const running = run(`${FAMILY} sleep 60`, { env, signal: controller.signal });
    await family(value, 5);
    controller.abort(new Error("urgent mail"));
    await expect(running).rejects.toThrow("urgent mail");
    expect(marked(value)).toEqual([]);
  });

  it("is not negotiable: who ignores TERM is killed after the grace", async () => {
    await shell.close();
    shell = createShell({ outputDir: folder, graceMs: 300 });
    const { env, value } = mark();
    const running = run("trap '' TERM; touch deaf; while true; do sleep 0.05; done", { env });
    await soon(() => expect(existsSync(join(folder, "deaf"))).toBe(true));
    const since = performance.now();
    await shell.close();
    expect(performance.now() - since).toBeGreaterThan(290);
    expect(await running).toMatchObject({ exitCode: null, signal: "SIGKILL" });
    expect(marked(value)).toEqual([]);
  });

  it("comes with close, and nothing starts after it", async () => {
    const { env, value } = mark();
    const running = run(`${FAMILY} sleep 60`, { env });
    await family(value, 5);
    await shell.close();
    expect(await running).toMatchObject({ signal: "SIGTERM", timedOut: false });
    expect(marked(value)).toEqual([]);
    await expect(run("true")).rejects.toThrow("The shell is closed");
  });

  it.runIf(process.platform === "linux")(
    "takes children along that left the group without a tag",
    async () => {
      const seconds = `600.${process.pid}${Math.round(performance.now())}`;
      const hidden = (): number[] =>
        readdirSync("/proc").flatMap((entry) => {
          try {
            return readFileSync(`/proc/${entry}/cmdline`, "latin1") === `sleep\0${seconds}\0`
              ? [Number(entry)]
              : [];
          } catch {
            return [];
          }
        });
      const ending = new AbortController();
      const running = run(`env -i setsid sleep ${seconds} & sleep 600`, { signal: ending.signal });
      await soon(() => expect(hidden()).toHaveLength(1));
      ending.abort(new Error("enough"));
      await expect(running).rejects.toThrow("enough");
      expect(hidden()).toEqual([]);
    },
  );

  it("comes before the beginning where the lease is over: a command waits for a renewal, or until nobody wants it", async () => {
    shell.extend?.(0);
    await delay(5);
    const stop = new AbortController();
    const unwanted = run("echo a >> ran", { signal: stop.signal });
    const wanted = run("echo b >> ran");
    stop.abort(new Error("enough"));
    await expect(unwanted).rejects.toThrow("enough");
    expect(existsSync(join(folder, "ran"))).toBe(false);
    shell.extend?.(60_000);
    await wanted;
    expect(readFileSync(join(folder, "ran"), "utf8")).toBe("b\n");
  });

  it.runIf(process.platform === "linux")(
    "by the warden is an interruption, also when the lease was renewed in that moment",
    async () => {
      let isRunning = true;
      const wardens = (): number[] => {
        const own = descendantsOf(new Set([process.pid]));
        return processesOf("EKIDEN_WARDEN=").filter((pid) => own.includes(pid));
      };
      // That of the test before may be about to end.
      const others = wardens();
      const outcome = run("touch began; sleep 600")
        .catch((error: Error) => error)
        .finally(() => {
          isRunning = false;
        });
      await soon(() => expect(existsSync(join(folder, "began"))).toBe(true));
      const [warden = 0] = wardens().filter((pid) => !others.includes(pid));
      // Where the renewal came too late, the warden has done its work and is gone.
      const signal = (name: NodeJS.Signals): void => {
        if (isAlive(warden)) process.kill(warden, name);
      };
      // The warden stands still while the renewal comes in time: it sees its timer first.
      while (isRunning) {
        shell.extend?.(400);
        await delay(100);
        signal("SIGSTOP");
        shell.extend?.(60_000);
        await delay(400);
        signal("SIGCONT");
        await delay(100);
      }
      expect(await outcome).toMatchObject({ message: expect.stringMatching(/^Interrupted: .* cut off/) });
    },
  );

  it("leaves other processes alone", async () => {
    const stranger = spawn("sleep", ["60"]);
    await run("sleep 60", { timeoutMs: 50 });
    await shell.close();
    const { exitCode, signalCode } = stranger;
    stranger.kill();
    expect([exitCode, signalCode]).toEqual([null, null]);
  });

  it("refuses to begin when the signal is aborted already", async () => {
    await expect(run("touch made", { signal: AbortSignal.abort(new Error("stop")) })).rejects.toThrow("stop");
    expect((await run("ls")).output).toBe("");
  });
});

it("knows a process by a mark behind an environment of any size", async () => {
  const { env, value } = mark();
  const [LARGE, LARGER] = ["x".repeat(100_000), "y".repeat(100_000)];
  const child = spawn("sleep", ["60"], { env: { PATH: process.env.PATH, LARGE, LARGER, ...env } });
  try {
    await family(value, 1);
    expect(marked(value)).toEqual([child.pid]);
  } finally {
    child.kill("SIGKILL");
    await once(child, "close");
  }
});
