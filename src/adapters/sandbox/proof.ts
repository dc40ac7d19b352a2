/**
 * The proof that an adapter must give before it counts: from inside, a write outside, a look at a hidden file and connections must fail,
 * and a write inside must succeed. Effects are checked from outside; the report of the probe itself is not enough.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import type { ConfinedProgram, Program } from "../../ports/shell.ts";

const PROBE_MS = 20_000;

/** Runs inside. Each step is tried by itself and its outcome printed. */
const PROBE = `
const [inside, outside, hidden, home, port, parent] = process.argv.slice(1);
const fs = require("node:fs"), net = require("node:net");
const said = {};
const step = (name, act) => { try { said[name] = String(act() ?? "done"); } catch (error) { said[name] = error.code ?? String(error); } };
step("inside", () => fs.writeFileSync(inside + "/made", "x"));
step("outside", () => fs.writeFileSync(outside + "/made", "x"));
step("home", () => fs.writeFileSync(home + "/.ekiden-probe-" + parent, "x"));
step("hidden", () => fs.readFileSync(hidden, "utf8"));
step("signal", () => process.kill(Number(parent), 0));
step("kernel", () => fs.closeSync(fs.openSync("/proc/sys/kernel/core_pattern", "r+")));
step("seccomp", () => /^Seccomp:\\s*(\\d)/m.exec(fs.readFileSync("/proc/self/status", "utf8"))[1]);
const reach = (name, where) => new Promise((done) => {
  const socket = net.connect(where);
  const end = (text) => { said[name] = text; socket.destroy(); done(); };
  socket.setTimeout(3000, () => end("timeout"));
  socket.on("connect", () => end("connected")).on("error", (error) => end(error.code));
});
Promise.all([reach("tcp", { host: "127.0.0.1", port: Number(port) }), reach("unix", { path: outside + "/socket" })])
  .then(() => process.stdout.write(JSON.stringify(said)));
`;

export type ProofPlace = { readonly inside: string; readonly outside: string; readonly hidden: string };

const TRIES = 3;

/** Null when it holds, else one clause that says what does not. `folder` is removed afterwards. */
export async function proofFault(
  folder: string,
  home: string,
  confine: (program: Program, place: ProofPlace) => Promise<ConfinedProgram>,
): Promise<string | null> {
  const place = {
    inside: join(folder, "inside"),
    outside: join(folder, "outside"),
    hidden: join(folder, "hidden"),
  };
  for (const one of [place.inside, place.outside]) mkdirSync(one, { recursive: true });
  writeFileSync(place.hidden, "seen", { mode: 0o600 });
  const knocks: string[] = [];
  const servers: Server[] = [];
  const trace = join(home, `.ekiden-probe-${process.pid}`);
  try {
    const tcp = await listening(servers, { host: "127.0.0.1", port: 0 }, () =>
      knocks.push("this machine's network"),
    );
    await listening(servers, { path: join(place.outside, "socket") }, () => knocks.push("a socket outside"));
    const args = [
      "-e",
      PROBE,
      place.inside,
      place.outside,
      place.hidden,
      home,
      String(tcp),
      String(process.pid),
    ];
    const program = { file: process.execPath, args, cwd: place.inside, env: {} };
    let ran = await run(await confine(program, place));
    // Mounts of the machine that come or go at that moment are no fault of the sandbox.
    for (let tries = 1; tries < TRIES && !ran.output.startsWith("{"); tries += 1)
      ran = await run(await confine(program, place));
    if (!ran.output.startsWith("{"))
      return `it cannot run a program: ${ran.complaint.trim().split("\n")[0] || "no output"}`;
    const said = JSON.parse(ran.output) as Record<string, string>;
    if (said.inside !== "done" || !existsSync(join(place.inside, "made")))
      return `a write to the workspace fails (${said.inside})`;
    if (existsSync(join(place.outside, "made")) || existsSync(trace)) return "a write outside succeeds";
    if (said.hidden === "seen") return "a hidden file can be read";
    if (knocks.length > 0) return `${knocks[0]} can be reached`;
    if (process.platform === "linux" && said.signal === "done") return "processes outside can be signalled";
    if (process.platform === "linux" && said.kernel === "done")
      return "settings of the kernel can be changed";
    if (process.platform === "linux" && said.seccomp !== "2") return "the system call filter is missing";
    return null;
  } catch (error) {
    return `it cannot be started: ${error instanceof Error ? error.message.split("\n")[0] : String(error)}`;
  } finally {
    for (const server of servers) server.close();
    if (existsSync(trace)) rmSync(trace, { force: true }); // a home folder may be a file
    rmSync(folder, { recursive: true, force: true });
  }
}

async function listening(
  servers: Server[],
  where: { host: string; port: number } | { path: string },
  onKnock: () => void,
): Promise<number> {
  const server = createServer((socket) => {
    onKnock();
    socket.destroy();
  });
  servers.push(server);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(where, resolve);
  });
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

function run(program: ConfinedProgram): Promise<{ output: string; complaint: string }> {
  return new Promise((resolve, reject) => {
    const { file, args, cwd, env, descriptors } = program;
    const child = spawn(file, args, {
      cwd,
      env,
      stdio: ["ignore", "pipe", "pipe", ...descriptors],
      timeout: PROBE_MS,
    });
    program.done();
    let output = "";
    let complaint = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      complaint += chunk.toString();
    });
    child.once("error", reject);
    child.once("close", () => resolve({ output, complaint }));
  });
}
