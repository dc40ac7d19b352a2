/** Runs shell lines in a tree of their own and tells what they changed, read or sent. */
import { spawn, spawnSync } from "node:child_process";
import { lstatSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { createSandbox } from "../../src/adapters/sandbox/index.ts";
import { createShell } from "../../src/adapters/shell/index.ts";
import { takeAway } from "../fixtures/take-away.ts";
import { CANARY, CLOSED, type Ground, judge, layGround, placed } from "./corpus.ts";

export type Proving = {
  /** Where the default mode allows a line: everywhere, only in a sandbox, or nowhere (null). */
  silentIn(line: string): Promise<Where | null>;
  /** The effect of a line that only an answered question could allow; null for none. In the sandbox it may change the workspace. */
  effectOf(line: string, where?: Where): Promise<string | null>;
  /** The same for many lines, as `LINE: EFFECT`. They share a process as long as none has an effect. */
  effectsOf(lines: readonly string[], where: Where): Promise<readonly string[]>;
  end(): Promise<void>;
};
type Where = "plain" | "sandbox";

const TIMEOUT_MS = 2_000;
const BATCH_TIMEOUT_MS = 60_000;
/** Lines that are run one after the other before the tree is compared. */
const BATCH = 25;
/** Each in a shell of its own, ended after a while. */
const together = (lines: readonly string[]): string =>
  lines
    .map((line) => `timeout -s KILL 2 /bin/bash -c 'exec 2>&1; ${line.replaceAll("'", "'\\''")}' </dev/null`)
    .join("\n");
/** The paths that a command in the sandbox may change: the workspace, except files that decide what runs later. */
const OWN_TO_A_COMMAND =
  /^project\/(?!\.git\/(?:config|hooks)|\.(?:ekiden|envrc|mcp\.json|npmrc|vscode|husky|bashrc)\b)/;
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

export async function prove(): Promise<Proving> {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on("error", () => {}).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const ground = layGround();
  const copy = join(ground.top, "..", `${ground.top.split("/").at(-1)}-fresh`);
  const hand = (path: string): void => {
    if (isRoot) spawnSync("chown", ["-hR", String(NOBODY), path]);
  };
  const restore = (): void => {
    for (const name of readdirSync(ground.top))
      rmSync(join(ground.top, name), { recursive: true, force: true, maxRetries: 20 });
    spawnSync("cp", ["-a", `${copy}/.`, ground.top]);
  };
  hand(ground.top);
  spawnSync("cp", ["-a", ground.top, copy]);
  let before = snapshot(ground.top);
  const confined = confinedRuns(ground, `${ground.top}-state`);

  const effectOf = async (text: string, where: Where): Promise<string | null> => {
    const connected = connections;
    const output = await (where === "plain" ? run(text, ground) : confined.run(text));
    const after = snapshot(ground.top);
    const effect =
      connections > connected
        ? "a connection"
        : output.includes(CANARY)
          ? "read the secret"
          : where === "sandbox" && (output.includes(CLOSED) || isCopied(ground.top, before, after))
            ? "read the closed file"
            : differs(before, after, where === "sandbox" ? OWN_TO_A_COMMAND : null);
    const isIntact = [...before].every(([path, state]) => after.get(path) === state);
    if (isIntact) {
      for (const path of after.keys())
        if (!before.has(path)) rmSync(join(ground.top, path), { recursive: true, force: true });
    } else {
      restore();
      before = snapshot(ground.top);
    }
    return effect;
  };

  return {
    async silentIn(line) {
      const subject = placed(line, ground, port);
      for (const where of ["plain", "sandbox"] as const) {
        const { effect } = await judge(subject, ground, "default", { confined: where === "sandbox" });
        if (effect === "allow") return where;
      }
      return null;
    },
    async effectOf(line, where = "plain") {
      return await effectOf(placed(line, ground, port), where);
    },
    async effectsOf(lines, where) {
      const effects: string[] = [];
      for (let at = 0; at < lines.length; at += BATCH) {
        const batch = lines.slice(at, at + BATCH);
        if ((await effectOf(together(batch.map((line) => placed(line, ground, port))), where)) === null)
          continue;
        for (const line of batch) {
          const effect = await effectOf(placed(line, ground, port), where);
          if (effect !== null) effects.push(`${JSON.stringify(line)}: ${effect}`);
        }
      }
      return effects;
    },
    async end() {
      await confined.end();
      for (const folder of [ground.top, copy, `${ground.top}-state`]) takeAway(folder);
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function run(line: string, { workspace, top }: Ground): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn("/bin/bash", ["-c", `exec 2>&1; ${line}`], {
      cwd: workspace,
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
      env: { PATH: process.env.PATH ?? "/usr/bin:/bin", HOME: top, LANG: "C.UTF-8" },
      ...(isRoot && { uid: NOBODY, gid: NOBODY }),
    });
    let output = "";
    const kill = (): void => {
      try {
        if (child.pid) process.kill(-child.pid, "SIGKILL");
      } catch {
        // The group is empty.
      }
    };
    const timer = setTimeout(kill, line.includes("\ntimeout ") ? BATCH_TIMEOUT_MS : TIMEOUT_MS);
    const done = (): void => {
      clearTimeout(timer);
      kill();
      resolve(output);
    };
    child.stdout?.on("data", (chunk: Buffer) => {
      if (output.length < 1_000_000) output += chunk.toString("latin1");
    });
    child.on("error", done);
    child.on("exit", () => setImmediate(done));
  });
}

/** As the host runs a line that was allowed: with a writable workspace. */
function confinedRuns({ workspace, top }: Ground, state: string) {
  const env = { PATH: process.env.PATH ?? "/usr/bin:/bin", HOME: top, LANG: "C.UTF-8" };
  const sandbox = createSandbox({
    ...{ mode: "required", network: "off", workspace, ownFolders: [], env },
    ...{ stateFolder: join(state, "proofs"), cacheFolder: join(state, "caches") },
    closed: { read: [".env"], write: [] },
  });
  const shell = createShell({ outputDir: join(state, "output"), sandbox, env });
  return {
    async run(line: string): Promise<string> {
      const { output } = await shell.run(line, {
        ...{ cwd: workspace, signal: new AbortController().signal },
        timeoutMs: line.includes("\ntimeout ") ? BATCH_TIMEOUT_MS : TIMEOUT_MS,
        confine: { network: "off" },
      });
      return output;
    },
    async end(): Promise<void> {
      await shell.close();
      await sandbox.close();
    },
  };
}

/** Whether a new file holds what the closed file holds. */
const isCopied = (
  top: string,
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): boolean =>
  [...after.keys()].some((path) => {
    if (before.get(path) === after.get(path)) return false;
    const stat = lstatSync(join(top, path), { throwIfNoEntry: false });
    return stat?.isFile() === true && readFileSync(join(top, path)).includes(CLOSED);
  });

/** Every path below a folder with what would tell a change. The index of git is refreshed by reading. */
function snapshot(
  folder: string,
  found = new Map<string, string>(),
  prefix = "",
): ReadonlyMap<string, string> {
  for (const name of readdirSync(join(folder, prefix))) {
    const path = prefix === "" ? name : `${prefix}/${name}`;
    if (/\.git\/index$/.test(path)) continue;
    const stat = lstatSync(join(folder, path));
    if (stat.isDirectory()) {
      found.set(path, `folder ${stat.mode}`);
      snapshot(folder, found, path);
    } else if (stat.isSymbolicLink()) found.set(path, readlinkSync(join(folder, path)));
    else found.set(path, `${stat.mode} ${stat.size} ${stat.mtimeMs}`);
  }
  return found;
}

function differs(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
  allowed: RegExp | null,
): string | null {
  for (const [path, state] of after)
    if (before.get(path) !== state && !allowed?.test(path)) return `wrote ${path}`;
  for (const path of before.keys()) if (!after.has(path) && !allowed?.test(path)) return `removed ${path}`;
  return null;
}
