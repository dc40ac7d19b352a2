/**
 * One network namespace for all confined commands of a process, held by a process that does nothing else: a server that one
 * command starts can be reached by the next, and nothing outside can. Where hosts are listed, a forwarder in the namespace
 * leads to our proxy; it is started once and not for each command, because a start of Node takes about 40 ms. Listed ports of this machine
 * are ports of the namespace, too: not every program that needs one (a database) knows proxies.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { ownPort } from "../../core/sandbox/sandbox.ts";
import { sendSignal } from "../process-table.ts";
import type { HostProxy } from "./proxy.ts";

/** A port of the namespace, where nothing else listens unless a command does. */
const PROXY_PORT = 39_128;
const START_MS = 10_000;

export type NetworkOptions = {
  readonly bwrap: string;
  readonly nsenter: string;
  /** The socket of its proxy, which commands cannot see. */
  readonly socket: string;
};

const FORWARDER = `
const [socket, port] = process.argv.slice(1);
const net = require("node:net");
const serve = (port, begin, ready) => net.createServer({ allowHalfOpen: true }, (inside) => {
  const outside = net.connect({ path: socket, allowHalfOpen: true });
  inside.on("error", () => outside.destroy());
  outside.on("error", () => inside.destroy());
  begin(outside, () => inside.pipe(outside).pipe(inside));
}).on("error", () => {}).listen(Number(port), "127.0.0.1", ready);
// The answer of the proxy is read to its end, and no further.
const tunnel = (port) => (outside, go) => {
  let answer = "";
  outside.write("CONNECT 127.0.0.1:" + port + " HTTP/1.1\\r\\n\\r\\n");
  outside.on("readable", function read() {
    for (let byte; (byte = outside.read(1)) !== null;) {
      answer += byte.toString("latin1");
      if (!answer.endsWith("\\r\\n\\r\\n")) continue;
      outside.off("readable", read);
      return / 200 /.test(answer) ? go() : outside.destroy();
    }
  });
};
require("node:readline").createInterface({ input: process.stdin }).on("line", (port) => serve(port, tunnel(port))).on("close", () => process.exit());
serve(port, (_, go) => go(), () => process.stdout.write("ready"));
`;

export class SharedNetwork {
  private readonly options: NetworkOptions;
  private holder: Promise<{ child: ChildProcess; pid: number }> | null = null;
  private forwarder: Promise<ChildProcess> | null = null;
  private proxy: HostProxy | null = null;
  private opening: Promise<HostProxy> | null = null;
  /** Of this machine, those that the namespace has, too. */
  private readonly ports = new Set<number>();

  constructor(options: NetworkOptions) {
    this.options = options;
  }

  /** The arguments that put a program into the namespace; it begins with the program to start. */
  async enter(): Promise<readonly string[]> {
    this.holder ??= this.start();
    this.holder.catch(() => {
      this.holder = null;
    });
    const { pid } = await this.holder;
    const root = process.getuid?.() === 0;
    return [
      this.options.nsenter,
      ...(root ? [] : [`--user=/proc/${pid}/ns/user`, "--preserve-credentials"]),
      `--net=/proc/${pid}/ns/net`,
      "--",
    ];
  }

  /** Opens the way to these hosts. Resolves to what commands need in their environment. */
  async open(hosts: readonly string[]): Promise<Readonly<Record<string, string>>> {
    this.opening ??= this.openProxy();
    this.opening.catch(() => {
      this.opening = null;
    });
    (await this.opening).allow(hosts);
    await this.forward(hosts);
    return proxyVariables(PROXY_PORT);
  }

  /** Opens the way to these hosts as well, until the function that it returns is called. The proxy must be open. */
  async lend(hosts: readonly string[]): Promise<() => void> {
    const giveBack = this.proxy?.lend(hosts) ?? (() => {});
    await this.forward(hosts);
    return giveBack;
  }

  private async forward(hosts: readonly string[]): Promise<void> {
    const fresh = hosts.flatMap((host) => ownPort(host) ?? []).filter((port) => !this.ports.has(port));
    const forwarder = fresh.length > 0 ? await this.forwarder : null;
    for (const port of fresh) if (forwarder) this.ports.add(port) && forwarder.stdin?.write(`${port}\n`);
  }

  private async openProxy(): Promise<HostProxy> {
    const { HostProxy } = await import("./proxy.ts");
    const proxy = new HostProxy([]);
    this.proxy = proxy;
    this.forwarder = this.startForwarder(proxy);
    await this.forwarder;
    return proxy;
  }

  /** The folder was removed, and is there again. */
  listenAgain(): void {
    this.proxy?.listenAgain(this.options.socket);
  }

  refusedSince(at: number): string[] {
    return this.proxy?.refusedSince(at) ?? [];
  }

  async close(): Promise<void> {
    this.proxy?.close();
    const [holder, forwarder] = await Promise.allSettled([this.holder, this.forwarder]);
    if (forwarder.status === "fulfilled") forwarder.value?.kill("SIGKILL");
    if (holder.status === "fulfilled") holder.value?.child.kill("SIGKILL");
  }

  /** It ends with this process: its input is closed then, and bubblewrap watches its parent, too. */
  private async start(): Promise<{ child: ChildProcess; pid: number }> {
    // Without --dev: for that bubblewrap nests a second user namespace, from which the network cannot be joined.
    const args = [
      "--unshare-net",
      "--unshare-pid",
      "--ro-bind",
      "/",
      "/",
      "--die-with-parent",
      "--new-session",
    ];
    const child = spawn(
      this.options.bwrap,
      [...args, "--json-status-fd", "3", "--", "/bin/sh", "-c", "echo; read end"],
      { stdio: ["pipe", "pipe", "pipe", "pipe"], env: {}, detached: true },
    );
    quietly(child);
    // Where /proc shows other processes, bubblewrap ends and leaves one behind that holds its pipes: they are not closed then.
    const gone = new Promise<never>((_, reject) => {
      child.once("exit", (code) => {
        // Something else may end it; the next command starts another one.
        this.holder = null;
        if (child.pid !== undefined) sendSignal(-child.pid, "SIGKILL");
        reject(new Error(`it ended with code ${code}`));
      });
    });
    const told = child.stdio[3] as NodeJS.ReadableStream;
    const pid = new Promise<number>((resolve) => {
      let text = "";
      told.on("data", (chunk: Buffer) => {
        text += chunk.toString();
        const [, found] = /"child-pid":\s*(\d+)/.exec(text) ?? [];
        if (found !== undefined) resolve(Number(found));
      });
    });
    // The line comes when the namespace is complete.
    const [found] = await Promise.race([Promise.all([pid, said(child)]), gone]);
    for (const stream of [...child.stdio]) (stream as { unref?: () => void } | null)?.unref?.();
    return { child, pid: found };
  }

  private async startForwarder(proxy: HostProxy): Promise<ChildProcess> {
    const { socket } = this.options;
    await proxy.listen(socket);
    const [file = "", ...args] = await this.enter();
    const child = spawn(file, [...args, process.execPath, "-e", FORWARDER, socket, String(PROXY_PORT)], {
      stdio: ["pipe", "pipe", "pipe"],
      env: {},
    });
    quietly(child);
    await said(child);
    for (const stream of [...child.stdio]) (stream as { unref?: () => void } | null)?.unref?.();
    return child;
  }
}

function quietly(child: ChildProcess): void {
  child.unref();
  child.on("error", () => {});
  child.stdin?.on("error", () => {});
}

/** Resolves with its first output. @throws with its error output when it ends before that */
function said(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let complaint = "";
    const timer = setTimeout(() => reject(new Error(`it does not start: ${complaint}`)), START_MS);
    child.stderr?.on("data", (chunk: Buffer) => {
      complaint = (complaint + chunk.toString()).slice(0, 1_000);
    });
    child.stdout?.once("data", () => {
      clearTimeout(timer);
      resolve();
    });
    child.once("error", reject);
    child.once("close", () => {
      clearTimeout(timer);
      reject(new Error(complaint.trim() || "it ended at once"));
    });
  });
}

/** Both spellings: programs look for either. */
function proxyVariables(port: number): Record<string, string> {
  const url = `http://127.0.0.1:${port}`;
  const own = "localhost,127.0.0.1,::1";
  return {
    ...{ HTTP_PROXY: url, HTTPS_PROXY: url, ALL_PROXY: url, NO_PROXY: own },
    ...{ http_proxy: url, https_proxy: url, all_proxy: url, no_proxy: own },
    // Node from 24 on; older versions need an agent of their own.
    NODE_USE_ENV_PROXY: "1",
  };
}
