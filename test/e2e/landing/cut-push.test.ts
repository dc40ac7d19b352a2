/** A push that is cut in the middle is repeated: it lands once, and its task is not refused. */
import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createShell } from "../../../src/adapters/shell/index.ts";
import { landing, openTrees, writeWork } from "../../fixtures/landing-trees.ts";
import { freePort } from "../../fixtures/ports.ts";
import { type Repository, repository } from "../../fixtures/repository.ts";
import { soon } from "../../fixtures/soon.ts";

type Remote = { readonly dir: string; readonly log: () => string };

/** A bare repository, and a clone of it in which a task is done that lands at `address`. */
function shared(): { readonly remote: Remote; readonly here: Repository } {
  const first = repository({ "a.txt": "a\n" });
  const dir = join(repository({ "unused.txt": "" }).dir, "bare");
  first.git("clone", "--quiet", "--bare", first.dir, dir);
  const here = repository({ "unused.txt": "" });
  here.git("fetch", "--quiet", dir, "main");
  here.git("reset", "--quiet", "--hard", "FETCH_HEAD");
  return { remote: { dir, log: () => first.git("-C", dir, "log", "--format=%s", "main") }, here };
}

async function land({ dir }: Repository, address: string): Promise<unknown> {
  const shell = createShell({ outputDir: join(dir, ".ekiden", "output") });
  onTestFinished(() => shell.close());
  const trees = await openTrees(dir, shell, { gate: "true", wayOut: { kind: "push", remote: address } });
  const task = { ...landing.task(1), attempt: 1 };
  // Not to be packed small.
  await writeWork(trees, task, { "large.txt": randomBytes(300_000).toString("base64"), "b.txt": "b\n" });
  return await trees.land(task, landing.by);
}

async function daemon(dir: string): Promise<number> {
  const port = await freePort();
  const program = join(execFileSync("git", ["--exec-path"], { encoding: "utf8" }).trim(), "git-daemon");
  const options = ["--reuseaddr", "--export-all", "--enable=receive-pack", "--listen=127.0.0.1"];
  const child = spawn(program, [...options, `--port=${port}`, `--base-path=${dirname(dir)}`], {
    stdio: "ignore",
  });
  onTestFinished(
    () =>
      new Promise<void>((done) => {
        child.once("close", () => done());
        child.kill("SIGKILL");
      }),
  );
  await soon(
    () =>
      new Promise<void>((done, fail) => {
        const probe = connect(port, "127.0.0.1", () => {
          probe.destroy();
          done();
        }).once("error", fail);
      }),
  );
  return port;
}

/** Passes bytes on, and cuts as many pushes as given: after so many bytes of the client, or of the server's answer. */
async function cutting(
  to: number,
  side: "client" | "server",
  bytes: number,
  times: number,
): Promise<{ readonly port: number; readonly cuts: () => number }> {
  let cuts = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(to, "127.0.0.1");
    let isPush = false;
    const seen = { client: 0, server: 0 };
    const end = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", end).on("close", end);
    }
    const pass = (from: typeof side, data: Buffer, target: Socket): void => {
      isPush ||= data.includes("git-receive-pack");
      seen[from] += data.length;
      if (!isPush || from !== side || seen[from] < bytes || cuts >= times) return void target.write(data);
      cuts += 1;
      target.write(data.subarray(0, Math.max(0, data.length - (seen[from] - bytes))), end);
    };
    client.on("data", (data: Buffer) => pass("client", data, upstream));
    upstream.on("data", (data: Buffer) => pass("server", data, client));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(
    () =>
      new Promise<void>((done) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => done());
      }),
  );
  return { port: (server.address() as { port: number }).port, cuts: () => cuts };
}

it.each([
  ["in the list of branches", "server", 10, 3],
  ["after it has named the branches", "client", 350, 3],
  ["in the middle of the pack", "client", 100_000, 3],
  // It has landed by then.
  ["before the answer", "server", 250, 1],
] as const)("lands once when the connection is cut %s", async (_, side, bytes, times) => {
  const { remote, here } = shared();
  const through = await cutting(await daemon(remote.dir), side, bytes, times);
  expect(await land(here, `git://127.0.0.1:${through.port}/bare`)).toMatchObject({ kind: "landed" });
  expect(through.cuts()).toBe(times);
  expect(remote.log()).toBe("Task 1\nFirst");
});

it.each(["pre-receive", "update", "post-receive"])(
  "lands once when the other side is killed three times in its hook %s",
  async (name) => {
    const { remote, here } = shared();
    const count = join(remote.dir, "count");
    const hook = join(remote.dir, "hooks", name);
    writeFileSync(
      hook,
      `#!/bin/sh\necho x >> '${count}'\n[ "$(wc -l < '${count}')" -le 3 ] && kill -9 $PPID\nexit 0\n`,
    );
    chmodSync(hook, 0o755);
    expect(await land(here, remote.dir)).toMatchObject({ kind: "landed" });
    expect(remote.log()).toBe("Task 1\nFirst");
  },
);
