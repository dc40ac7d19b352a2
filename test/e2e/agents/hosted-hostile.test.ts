/** Agent programs of other vendors that do what they can against their host: in the sandbox, and one after the other. */
import { existsSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { processesOf } from "../../../src/adapters/process-table.ts";
import { PERSON } from "../../../src/core/ids.ts";
import { isWithin } from "../../../src/core/paths/paths.ts";
import type { Settings } from "../../../src/core/settings/settings.ts";
import { type AgentScript, type AgentStep, agentProgram } from "../../fixtures/agent-program.ts";
import { bubblewrapOrSkip } from "../../fixtures/bubblewrap.ts";
import { programTeam } from "../../fixtures/program-team.ts";
import { repositoryIn } from "../../fixtures/repository.ts";
import { soon } from "../../fixtures/soon.ts";
import { takeAway } from "../../fixtures/take-away.ts";

const done = (result = "done"): AgentStep => ({ call: "complete_task", input: { result } });
const lead = { lead: Array.from({ length: 20 }, () => ({ text: "Waiting." })) };
const inSandbox = bubblewrapOrSkip(describe);
// The private temporary folder of the sandbox hides a clone that lies in one.
const places = isWithin(tmpdir(), import.meta.dirname) ? [] : (["off", "required"] as const);

/** A team whose ann obeys the script, with one task, begun. */
async function attack(
  script: AgentScript,
  sandbox: "off" | "required",
  {
    settings = {},
    prepare = () => {},
  }: { settings?: Partial<Settings>; prepare?: (folder: string) => void } = {},
) {
  const folder = mkdtempSync(join(tmpdir(), "ekiden-hostile-"));
  prepare(folder);
  const program = agentProgram(script, folder);
  const team = await programTeam({
    says: lead,
    folder,
    settings: { teammates: [program.recruit("ann")], sandbox, permissionMode: "bypass", ...settings },
  });
  await team.store.board.add({ subject: "Attack" }, PERSON);
  await team.host.start({ goal: "Do the task" });
  return { ...team, program, completed: () => team.until("task.completed", { task: 1 }) };
}

const rss = (): number => process.memoryUsage.rss() / 2 ** 20;

inSandbox.each(places)("a hosted program, sandbox %s", (sandbox) => {
  it("fills neither memory nor the transcript with words, lines without an end, and calls that never end", async () => {
    const before = rss();
    const team = await attack(
      {
        prompts: [
          [
            { flood: { update: "agent_message_chunk", bytes: 100_000_000 } },
            { flood: { update: "tool_call", bytes: 20_000_000 } },
            { flood: { update: "tool_call_update", bytes: 300_000 } },
            { garbage: '[1]\nnull\n{"jsonrpc":"2.0"}\n{"jsonrpc":"2.0","id":{},"method":7}\n{{{\n\u0000\n' },
            {
              garbage:
                '{"jsonrpc":"2.0","id":99999,"result":{}}\n{"jsonrpc":"2.0","method":"session/update"}\n',
            },
            { garbage: '{"jsonrpc":"2.0","id":7,"method":"terminal/create","params":{"command":"id"}}\n' },
            done(),
          ],
        ],
      },
      sandbox,
    );
    await team.completed();
    const entries = JSON.stringify(await team.store.transcript.current("ann" as never));
    expect(entries.length).toBeLessThan(2_000_000);
    expect(entries).toContain("more than can be kept");
    expect(rss() - before).toBeLessThan(400);
  });

  it("is ended at a line that never ends, and its task continues", async () => {
    const team = await attack(
      { prompts: [[{ flood: { bytes: 60_000_000 } }, { hang: true }], [done()]] },
      sandbox,
    );
    await team.completed();
    expect(team.program.heard("session")).toHaveLength(2);
  });

  it("reads and writes nothing outside, through links, or in protected files", async () => {
    const secret = mkdtempSync(join(tmpdir(), "ekiden-secret-"));
    onTestFinished(() => takeAway(secret));
    writeFileSync(join(secret, "key"), "SECRET");
    const team = await attack(
      {
        prompts: [
          [
            ...[
              "/etc/ekiden-test",
              "link/x",
              ".git/hooks/post-checkout",
              ".git/config",
              ".ekiden/settings.json",
            ].map((path) => ({ write: [path, "owned"] })),
            ...["link/key", "../../../../../../etc/shadow", ".ekiden/team.db"].map((read) => ({ read })),
            done(),
          ],
        ],
      },
      sandbox,
      {
        prepare: (folder) => {
          repositoryIn(folder, { "a.txt": "a\n", ".gitignore": ".ekiden\n" });
          symlinkSync(secret, join(folder, "link"));
        },
        settings: { permissionMode: "accept-edits", worktrees: false },
      },
    );
    await team.completed();
    expect(team.program.heard("wrote").filter((answer) => answer === true)).toEqual([]);
    expect(team.program.heard<string>("read").join()).not.toMatch(/SECRET|root:/);
    expect(existsSync(join(secret, "x"))).toBe(false);
    expect(readFileSync(join(team.folder, ".git/config"), "utf8")).not.toContain("owned");
  });

  it("ends with all that it started, also what has left it and forgotten whose it is", async () => {
    const mark = `ekiden-hostile-${process.pid}-${sandbox}`;
    const team = await attack(
      {
        prompts: [[{ forks: mark }, { say: "Hm." }, { hang: true }]],
        ignoresTerm: true,
        ignoresCancel: true,
      },
      sandbox,
    );
    await soon(() => expect(team.program.heard("forked")).toHaveLength(1));
    expect(processesOf(mark).length).toBeGreaterThan(0);
    await team.store.mail.send(PERSON, {
      to: "ann" as never,
      body: { kind: "note", text: "Stop that" },
      urgent: true,
    });
    await soon(() => expect(team.program.heard("prompt").length).toBeGreaterThan(1));
    await team.host.close();
    expect(processesOf(mark)).toEqual([]);
  });

  it("completes nothing by saying so: the gate and the board decide", async () => {
    const team = await attack(
      {
        prompts: [
          [
            { own: ["a.txt", "bad\n"] },
            done("I have done everything"),
            { call: "claim_task", input: { id: 2 } },
            { own: ["a.txt", "new\n"] },
            done(),
          ],
        ],
      },
      sandbox,
      {
        prepare: (folder) => void repositoryIn(folder, { "a.txt": "old\n", ".gitignore": ".ekiden\n" }),
        settings: { worktrees: true, gate: "! grep bad a.txt" },
      },
    );
    await team.completed();
    const landed = await team.events("task.landed");
    expect(landed).toHaveLength(1);
    const said = JSON.stringify(await team.store.transcript.current("ann" as never));
    expect(said).toContain("cannot land");
  });
});
