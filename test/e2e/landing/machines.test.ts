/**
 * A team on machines of its own: PostgreSQL on one, the git remote on another, the lead on a third and workers on three more. They
 * share nothing else. One worker is cut off for longer than its lease and comes back, one is killed for good. All worker machines
 * have the same host name and the same process ids.
 */
import type { ChildProcess } from "node:child_process";
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
import { join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { seeingGate } from "../../fixtures/landing-trees.ts";
import { type Machine, Network, NO_MACHINES } from "../../fixtures/machines.ts";
import { repositoryIn } from "../../fixtures/repository.ts";
import { soon } from "../../fixtures/soon.ts";
import { takeAway } from "../../fixtures/take-away.ts";
import { EKIDEN } from "../cli-program.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const TASKS = 24;
/** Those after these wait for the test, so that there is work left when the machine that was cut off comes back. */
const FREE = 16;
const LEASE_MS = 8_000;

type Host = { readonly capacity: number; readonly machine: string; readonly pid: number };
type Shown = { readonly id: number; readonly status: string; readonly subject: string };

/** One program on one machine, with a clone and a home of its own. */
class Desk {
  readonly dir: string;
  readonly gates: string;
  private readonly machine: Machine;
  private readonly env: Readonly<Record<string, string>>;

  constructor(machine: Machine, home: string, store: string) {
    this.machine = machine;
    this.dir = join(home, "clone");
    this.gates = join(home, "gates");
    mkdirSync(this.gates, { recursive: true });
    this.env = {
      HOME: home,
      XDG_CONFIG_HOME: join(home, ".config"),
      EKIDEN_TRUST: "1",
      EKIDEN_SANDBOX: "off",
      EKIDEN_STORE: store,
      EKIDEN_LEASE_MS: String(LEASE_MS),
      EKIDEN_PERMISSION_MODE: "bypass",
      // The same words on all machines: hosts compare them.
      EKIDEN_GATE: seeingGate("$HOME/gates"),
    };
  }

  clone(url: string): Promise<string> {
    return this.machine.run(`git clone --quiet ${url} ${this.dir}`, { env: this.env });
  }

  start(args: string, host?: string): ChildProcess {
    const line = `${EKIDEN} --cwd ${this.dir} ${args}; exit $?`;
    return this.machine.start(line, { cwd: ROOT, env: this.env, ...(host && { host }) });
  }

  async json<T>(args: string): Promise<T> {
    const line = `${EKIDEN} --cwd ${this.dir} ${args} --json`;
    return JSON.parse(await this.machine.run(line, { cwd: ROOT, env: this.env })) as T;
  }

  /** The trees that a gate here has seen. */
  seen(): string[] {
    const folder = join(this.gates, "seen");
    return existsSync(folder) ? readdirSync(folder) : [];
  }
}

/** The last tasks add a line to one file, so that two of them that land at once are in conflict. */
const CONFLICTING = 6;
const script = (nth: number, go: string): string =>
  nth <= FREE
    ? `echo ${nth} > part-${nth}.txt`
    : `while [ ! -e ${go} ]; do sleep 0.1; done\necho "line ${nth}" >> ${nth > TASKS - CONFLICTING ? "all" : `part-${nth}`}.txt`;
const board = (go: string): string =>
  `# Parts\n\n${Array.from({ length: TASKS }, (_, i) => `## Part ${i + 1}\n\`\`\`sh\n${script(i + 1, go)}\n\`\`\`\n`).join("")}`;

describe.skipIf(NO_MACHINES !== null)(`machines${NO_MACHINES ? `: skipped, ${NO_MACHINES}` : ""}`, () => {
  const limit = { timeout: 600_000 };
  it("land all tasks once each, though one is cut off for a while and one is killed", limit, async () => {
    const home = realpathSync(mkdtempSync(join(tmpdir(), "ekiden-machines-")));
    onTestFinished(() => takeAway(home));
    const network = new Network();
    const [database, server, desk, first, second, third] = Array.from({ length: 6 }, () => network.add()) as [
      Machine,
      Machine,
      Machine,
      Machine,
      Machine,
      Machine,
    ];

    const postgres = database.start(
      `'${process.execPath}' --import tsx ${ROOT}/test/fixtures/postgres-owner.ts ${database.address}`,
      { cwd: ROOT },
    );
    const store = await firstLine(postgres);
    const base = join(home, "remote");
    const go = join(home, "go");
    const initial = repositoryIn(join(base, "first"), {
      ".ekiden/settings.json": '{ "remote": "origin" }\n',
    });
    initial.git("clone", "--quiet", "--bare", ".", join(base, "bare"));
    server.start(
      `exec git daemon --reuseaddr --export-all --enable=receive-pack --base-path=${base} --listen=${server.address}`,
    );
    const url = `git://${server.address}/bare`;
    const history = (format: string): string[] =>
      initial.git("-C", join(base, "bare"), "log", `--format=${format}`, "main").split("\n");

    const desks = [desk, first, second, third].map(
      (machine, nth) => new Desk(machine, join(home, `machine-${nth}`), store),
    ) as [Desk, Desk, Desk, Desk];
    await soon(() => desks[0].clone(url));
    for (const one of desks.slice(1)) await one.clone(url);
    writeFileSync(join(home, "board.md"), board(go));
    const run = desks[0].start(`run ${join(home, "board.md")} --teammates 1`);
    const over = ended(run);
    // The number of its places tells which machine a host is on: their names are the same.
    const workers = desks.slice(1).map((one, nth) => one.start(`worker --count ${nth + 2}`, "box"));
    const said = workers.map(errorsOf);
    const hosts = async (): Promise<Host[]> =>
      (await desks[0].json<{ hosts: Host[] }>("team")).hosts.filter(({ capacity }) => capacity > 0);
    const places = async (): Promise<number[]> => (await hosts()).map(({ capacity }) => capacity).sort();
    const landed = (): number => history("%s").length - 1;

    await soon(async () => expect(await places(), said.map((text) => text()).join()).toEqual([2, 3, 4]));
    const shown = await hosts();
    expect(new Set(shown.map(({ machine }) => machine)).size).toBe(1);
    expect(new Set(shown.map(({ pid }) => pid)).size).toBe(1);
    await soon(() => expect(landed(), said.map((text) => text()).join("\n")).toBeGreaterThan(3));
    second.plug(false);
    await soon(() => expect(landed()).toBeGreaterThan(7));
    third.kill();
    await soon(async () => expect(await places()).toEqual([2]));
    const before = desks[2].seen().length;
    second.plug(true);
    await soon(async () => expect(await places()).toEqual([2, 3]));
    writeFileSync(go, "");

    const { code, output } = await over;
    const tasks = (await desks[0].json<{ tasks: Shown[] }>("tasks")).tasks;
    expect(
      tasks.filter(({ status }) => status !== "completed"),
      output,
    ).toEqual([]);
    expect(code, output).toBe(0);
    // Each has landed once, on one line of commits, and each commit is what a gate has seen.
    const wanted = ["First", ...tasks.map(({ subject }) => subject)].sort();
    expect(history("%s").sort()).toEqual(wanted);
    expect(history("%p").filter((parents) => parents.includes(" "))).toEqual([]);
    const seen = new Set(desks.flatMap((one) => one.seen()));
    expect(
      history("%T %s").filter((line) => !line.endsWith(" First") && !seen.has(line.slice(0, 40))),
    ).toEqual([]);
    expect(desks[2].seen().length).toBeGreaterThan(before);
    const lines = Array.from({ length: CONFLICTING }, (_, i) => `line ${TASKS - i}`).sort();
    // The lead's own clone has everything.
    expect(readFileSync(join(desks[0].dir, "all.txt"), "utf8").trim().split("\n").sort()).toEqual(lines);
  });
});

async function firstLine(child: ChildProcess): Promise<string> {
  const errors = errorsOf(child);
  let text = "";
  for await (const chunk of child.stdout ?? []) {
    text += String(chunk);
    if (text.includes("\n")) return text.slice(0, text.indexOf("\n"));
  }
  throw new Error(`It ended without a word:\n${errors()}`);
}

function errorsOf(child: ChildProcess): () => string {
  let text = "";
  child.stderr?.on("data", (chunk) => {
    text += String(chunk);
  });
  return () => text;
}

async function ended(child: ChildProcess): Promise<{ code: number | null; output: string }> {
  const errors = errorsOf(child);
  child.stdout?.resume();
  child.stdin?.end();
  const code = await new Promise<number | null>((done) => child.once("close", done));
  return { code, output: errors() };
}
