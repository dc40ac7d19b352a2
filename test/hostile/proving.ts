/** Runs shell lines in a tree of their own and tells what they changed, read or sent. */
import { spawn, spawnSync } from "node:child_process";
import { lstatSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { takeAway } from "../fixtures/take-away.ts";
import { CANARY, type Ground, judge, layGround, placed } from "./corpus.ts";

export type Proving = {
  /** Whether the default mode allows a line, with a sandbox or without. */
  isSilent(line: string): Promise<boolean>;
  /** What a line did that only an answered question could allow; null for nothing. */
  effectOf(line: string): Promise<string | null>;
  end(): Promise<void>;
};

const TIMEOUT_MS = 2_000;
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
      rmSync(join(ground.top, name), { recursive: true, force: true });
    spawnSync("cp", ["-a", `${copy}/.`, ground.top]);
  };
  hand(ground.top);
  spawnSync("cp", ["-a", ground.top, copy]);
  let before = snapshot(ground.top);

  return {
    async isSilent(line) {
      const subject = placed(line, ground, port);
      for (const confined of [false, true])
        if ((await judge(subject, ground, "default", { confined })).effect === "allow") return true;
      return false;
    },
    async effectOf(line) {
      const connected = connections;
      const output = await run(placed(line, ground, port), ground);
      const after = snapshot(ground.top);
      const effect =
        connections > connected
          ? "a connection"
          : output.includes(CANARY)
            ? "read the secret"
            : differs(before, after);
      const isIntact = [...before].every(([path, state]) => after.get(path) === state);
      if (isIntact) {
        for (const path of after.keys())
          if (!before.has(path)) rmSync(join(ground.top, path), { recursive: true, force: true });
      } else {
        restore();
        before = snapshot(ground.top);
      }
      return effect;
    },
    async end() {
      takeAway(ground.top);
      takeAway(copy);
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
    const timer = setTimeout(kill, TIMEOUT_MS);
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

function differs(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string | null {
  for (const [path, state] of after) if (before.get(path) !== state) return `wrote ${path}`;
  for (const path of before.keys()) if (!after.has(path)) return `removed ${path}`;
  return null;
}
