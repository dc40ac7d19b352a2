/** Commands that run in a process which was confined in advance: the same rules hold, and nothing stays behind. */
import { execFileSync, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Sandbox, Shell, ShellOptions } from "../../../src/ports/index.ts";
import { bubblewrapOrSkip } from "../../fixtures/bubblewrap.ts";
import { closeConfined, confined } from "../../fixtures/confined.ts";
import { soon } from "../../fixtures/soon.ts";

let base: string;
let workspace: string;
let sandbox: Sandbox;
let shell: Shell;
let pids: number[];

const run = (command: string, more: Partial<ShellOptions> = {}) =>
  shell.run(command, {
    ...{ cwd: workspace, signal: new AbortController().signal, timeoutMs: 60_000 },
    onStart: (pid: number) => void pids.push(pid),
    ...more,
  });

/** Processes with arguments for this workspace. */
const processes = (is: (words: readonly string[]) => boolean): number[] =>
  readdirSync("/proc").flatMap((pid) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      return words.includes(workspace) && is(words) ? [Number(pid)] : [];
    } catch {
      return [];
    }
  });
const isSupervisor = (words: readonly string[]): boolean =>
  words[0]?.endsWith("bwrap") === true && words.some((word) => word.includes("mapfile"));
/** Supervisors of shells that wait for a command in this workspace. */
const waiting = (): number[] =>
  processes((words) => isSupervisor(words) && words.includes("--json-status-fd"));
/** The shells that start them. */
const starters = (): number[] => processes((words) => words[0]?.endsWith("bash") === true);

/** After a command; resolves when the next one finds a spare. */
const prepared = async (): Promise<void> => {
  await soon(async () => {
    const before = waiting();
    await run("true");
    expect(before).toContain(pids.at(-1));
  });
  await soon(() => expect(waiting()).not.toEqual([]));
};

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "ekiden-spares-")));
  workspace = join(base, "ws it's");
  pids = [];
  mkdirSync(workspace);
  execFileSync("git", ["init", "-q", "-b", "main", "."], { cwd: workspace });
  ({ sandbox, shell } = confined(base, workspace));
});
afterEach(() => closeConfined({ sandbox, shell }, base));

bubblewrapOrSkip(describe)("a spare", () => {
  it("runs a command as a new process would", async () => {
    const command = "env | grep -Ev '^(_|EKIDEN_JOB)=' | sort; pwd; ulimit -a; echo $# $0 $-; exit 3";
    const env = { A: "two words\nand a line", PATH: `${process.env.PATH}:/nowhere` };
    const descriptors = await run("ls /proc/self/fd", { env: { B: "of another command" } });
    const first = await run(command, { env });
    const second = await soon(async () => {
      const ready = waiting();
      const result = await run(command, { env });
      expect(ready).toContain(pids.at(-1));
      return result;
    });
    expect(second).toMatchObject({ exitCode: 3, output: first.output });
    // A shell has no file or variable of the process that starts shells, or of other shells.
    await prepared();
    expect((await run("ls /proc/self/fd")).output).toBe(descriptors.output);
    expect((await run("tr '\\0' '\\n' < /proc/$$/environ | grep -c EKIDEN_JOB=")).output).toBe("1\n");
  });

  it("is not used when a file that must not be written has lost its mount", async () => {
    await prepared();
    // Git writes a new file and renames it.
    execFileSync("git", ["config", "a.b", "c"], { cwd: workspace });
    const { exitCode, output } = await run("echo x >> .git/config; mv .git/config .git/x");
    expect(exitCode, output).not.toBe(0);
    expect(readFileSync(join(workspace, ".git/config"), "utf8")).not.toMatch(/^x$/m);
  });

  it("runs commands of one member, and its first process says whose they are", async () => {
    const first = "tr '\\0' '\\n' < /proc/1/environ | grep -E '^EKIDEN_(MEMBER|SPARE|JOB)=' | sort";
    for (const member of ["alice", "bob", "alice"]) {
      const env = { EKIDEN_MEMBER: member };
      await soon(async () => {
        const ready = waiting();
        const { output } = await run(first, { env });
        expect(output).toContain(`EKIDEN_MEMBER=${member}\n`);
        expect(output).toMatch(/EKIDEN_(?:SPARE|JOB)=\S+;\n/);
        expect(ready).toContain(pids.at(-1));
      });
    }
  });

  it("is not used when the policy has changed", async () => {
    await prepared();
    writeFileSync(join(workspace, ".envrc"), "a");
    expect((await run("echo x > .envrc")).exitCode).not.toBe(0);
    expect((await run("echo x > y", { confine: { readOnly: true } })).exitCode).not.toBe(0);
    expect((await run("echo x > y")).exitCode).toBe(0);
  });

  it("is there also for commands that follow each other at once", async () => {
    const prepared: boolean[] = [];
    const onStart = (pid: number) =>
      void prepared.push(readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("mapfile"));
    for (let nth = 0; nth < 12; nth += 1) await run("true", { onStart });
    expect(prepared.slice(2)).not.toContain(false);
  });

  it("is not needed: a command runs also when what starts them was killed or stands still", async () => {
    await prepared();
    for (const signal of ["SIGKILL", "SIGSTOP"] as const) {
      const stopped = starters();
      expect(stopped).not.toEqual([]);
      for (const pid of stopped) process.kill(pid, signal);
      // Some were ready; the first that was not is waited for, and no other one.
      for (let nth = 0; nth < 6; nth += 1) expect(await run("echo a")).toMatchObject({ output: "a\n" });
      await soon(() => expect(starters().some((pid) => !stopped.includes(pid))).toBe(true));
      for (const pid of signal === "SIGSTOP" ? stopped : []) process.kill(pid, "SIGCONT");
    }
  });

  it("is never lost with its command in silence when what starts it is killed", async () => {
    const marks = join(workspace, "marks");
    let interrupted = 0;
    for (let nth = 0; nth < 24; nth += 1) {
      await prepared();
      writeFileSync(marks, "");
      // At another moment each time: while the orders are read, before the command begins, and while it runs.
      const kill = (): void => {
        for (const pid of starters()) process.kill(pid, "SIGKILL");
      };
      const onStart = (): void => void (nth % 3 === 0 ? kill() : setTimeout(kill, nth % 3));
      try {
        expect(await run("echo a >> marks; echo b", { onStart })).toMatchObject({
          exitCode: 0,
          output: "b\n",
        });
        expect(readFileSync(marks, "utf8")).toBe("a\n");
      } catch (error) {
        if (!String(error).includes("killed from outside")) throw error;
        interrupted += 1;
        expect(readFileSync(marks, "utf8")).toMatch(/^(?:a\n)?$/);
      }
    }
    await prepared();
    const onStart = (): void =>
      void soon(() => expect(readFileSync(marks, "utf8")).toBe("begun\n")).then(() => {
        for (const pid of starters()) process.kill(pid, "SIGKILL");
      });
    await expect(run("echo begun > marks; sleep 600", { onStart })).rejects.toThrow(
      /^Interrupted: what confined this command was killed from outside/,
    );
    expect(interrupted).toBeLessThan(25);
  });

  it("is started by a process that reads nothing of the person's shells", async () => {
    const [home, trace] = [join(base, "home"), join(base, "trace")];
    mkdirSync(home);
    writeFileSync(join(home, ".bashrc"), `touch '${trace}'\n`);
    await soon(async () => {
      const ready = waiting();
      await run("true", { env: { HOME: home, SHLVL: "0" } });
      expect(ready).toContain(pids.at(-1));
    });
    expect(existsSync(trace)).toBe(false);
  });

  it("serves one command, and is ended by a time-out or an abort as any other", async () => {
    await prepared();
    expect(await run("sleep 600 & sleep 600", { timeoutMs: 200 })).toMatchObject({ timedOut: true });
    await prepared();
    const results = await Promise.all(["a", "b", "c"].map((word) => run(`echo ${word}; sleep 0.1`)));
    expect(results.map(({ output }) => output)).toEqual(["a\n", "b\n", "c\n"]);
  });

  it("gets no command that it would read differently", async () => {
    await prepared();
    await expect(run("true\0end")).rejects.toThrow(/cannot be started/);
    const long = `echo ${"x".repeat(20_000)} | wc -c`;
    expect((await run(long)).output).toBe("20001\n");
    expect((await run("echo $A-$words", { env: { A: "", words: "w" } })).output).toBe("-w\n");
  });

  it("ends with the sandbox", async () => {
    await prepared();
    await shell.close();
    await sandbox.close();
    await soon(() => expect([...waiting(), ...starters()]).toEqual([]));
  });

  it("ends with a process that is killed", async () => {
    const script = `
      import { createSandbox } from "${join(process.cwd(), "src/adapters/sandbox/index.ts")}";
      import { createShell } from "${join(process.cwd(), "src/adapters/shell/index.ts")}";
      const sandbox = createSandbox(${JSON.stringify({ mode: "required", network: "off", workspace, stateFolder: join(base, "state"), cacheFolder: join(base, "cache"), ownFolders: [] })});
      const shell = createShell({ outputDir: ${JSON.stringify(join(base, "o"))}, sandbox });
      await shell.run("true", { cwd: ${JSON.stringify(workspace)}, signal: new AbortController().signal, timeoutMs: 60000 });
      setInterval(() => {}, 1000);`;
    const child = spawn("npx", ["tsx", "--input-type=module", "-e", script], {
      detached: true,
      stdio: "ignore",
    });
    try {
      await soon(() => expect(waiting()).not.toEqual([]));
    } finally {
      process.kill(-(child.pid ?? 0), "SIGKILL");
    }
    await soon(() => expect([...waiting(), ...starters()]).toEqual([]));
  });
});
