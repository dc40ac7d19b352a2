/** One teammate, 300 turns, many compactions and a restart: over real HTTP, with real files, a real shell and a real store. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../../src/adapters/clock.ts";
import { openModel } from "../../../src/adapters/models/index.ts";
import { whoIs } from "../../../src/core/conversation/prompt.ts";
import { LEAD, name } from "../../../src/core/ids.ts";
import { DEFAULT_SETTINGS } from "../../../src/core/settings/settings.ts";
import { type HostedTeam, hostedTeam } from "../../fixtures/hosted-team.ts";
import {
  calls,
  type ModelCall,
  type Said,
  says,
  startModelServer,
} from "../../fixtures/model-server/index.ts";

const TURNS = 300;
const RESTART_AT = 120;
const MAIL_AT = 200;
const CONTEXT = { ...DEFAULT_SETTINGS, contextShare: 0.8, contextTokens: 5_000, trimTokens: 4_000 };

const count = (text: string, part: string): number => text.split(part).length - 1;
const words = ({ messages }: ModelCall): string =>
  messages.flatMap(({ content }) => content.map((part) => ("text" in part ? part.text : ""))).join("\n");
/** In letters. */
const spelled = (n: number): string => [...String(n)].map((digit) => "abcdefghij"[Number(digit)]).join("");
const isSummary = (request: ModelCall): boolean => request.tools.length === 0;

it("works through 300 turns and many compactions without losing who it is, what it is to do, or what it was told", async () => {
  let turns = 0;
  let team: HostedTeam | undefined;
  let restart: () => void = () => {};
  const restarted = new Promise<void>((resolve) => {
    restart = resolve;
  });
  const step = async (request: ModelCall): Promise<Said> => {
    const usage = { usage: { input: Math.round(request.bytes / 4), output: 40 } };
    if (isSummary(request))
      return says(`Goal: paint the bridge.\nDone: ${turns} strokes.\nOpen: ${secret(request)}`, usage);
    turns += 1;
    if (turns === RESTART_AT) restart();
    if (turns === MAIL_AT)
      await team?.store.mail.send(LEAD, {
        to: name("alice"),
        body: { kind: "note", text: "The password is swordfish." },
      });
    if (turns === TURNS) return calls("complete_task", { result: `done; ${secret(request)}` }, usage);
    if (turns > TURNS) return says("The bridge is painted.", usage);
    // The numbers are new each time, or the harness would take it for a loop.
    if (turns % 10 === 0)
      return calls("bash", { command: `seq ${turns * 1_000} ${turns * 1_000 + 400}` }, usage);
    if (turns % 3 === 0) return calls("glob", { pattern: `{${spelled(turns)},*}.txt` }, usage);
    return {
      ...calls("read_file", { path: "plan.txt", limit: 100 + turns }),
      text: `Stroke ${turns}.`,
      ...usage,
    };
  };
  // A model that forgets nothing it is shown, and knows nothing else.
  const secret = (request: ModelCall): string =>
    words(request).includes("swordfish") ? "swordfish" : "no password yet";

  const server = await startModelServer({ anthropic: step });
  const open = async (folder?: string): Promise<HostedTeam> => {
    const model = await openModel("anthropic/claude-haiku-4-5", { env: server.env, clock: systemClock });
    const opened = await hostedTeam({
      model: () => model,
      agent: { context: CONTEXT },
      settings: { turnsPerStint: 50 },
      ...(folder && { folder }),
    });
    return opened;
  };

  team = await open();
  const { folder } = team;
  await writeFile(join(folder, "plan.txt"), "red lead, then grey\n".repeat(60));
  await team.store.board.add({ subject: "Paint the bridge", description: "All of it, in grey-green." }, LEAD);
  await team.join("alice");
  await restarted;
  await team.team.suspend();
  await team.store.close();
  team = await open(folder);
  onTestFinished(async () => await team?.close());
  await team.team.adoptAll();
  await team.until("task.completed");

  const requests = server.requests;
  const work = requests.filter((request) => !isSummary(request));
  const summaries = requests.length - work.length;
  expect(work.length).toBeGreaterThanOrEqual(TURNS);
  expect(summaries).toBeGreaterThanOrEqual(5);
  await server.close(); // throws if any request held an orphan

  const alice = whoIs({ name: name("alice"), team: name("default"), kind: "teammate", role: "" });
  for (const request of requests) {
    const inside = isSummary(request) ? 0 : 1;
    expect(count(words(request), alice), `request ${request.nth}`).toBe(inside);
    expect(words(request), `request ${request.nth}`).toContain("All of it, in grey-green.");
    expect(request.bytes).toBeLessThan(40_000);
  }
  const [task] = await team.store.board.tasks();
  expect(task).toMatchObject({ status: "completed", attempt: 1, result: "done; swordfish" });

  // The provider's cache: the bytes of earlier requests are sent again unchanged, but for the turns that made the context smaller.
  const breaks = work.filter((request, i) => {
    const before = work[i - 1]?.messages.slice(0, -1) ?? [];
    return JSON.stringify(request.messages.slice(0, before.length)) !== JSON.stringify(before);
  });
  const compactions = await team.events("context.compacted");
  expect(breaks.length).toBeLessThanOrEqual(compactions.length);
  expect(breaks.length).toBeLessThan(work.length / 5);

  // And all of it can still be read back.
  const all = await team.store.transcript.all(name("alice"), 0, 10_000);
  const said = all.filter(({ entry }) => entry.kind === "said").length;
  expect(said).toBeGreaterThanOrEqual(TURNS - 1);
  const spent = await team.store.roster.member(name("alice"));
  const asked = requests.reduce((sum, { bytes }) => sum + Math.round(bytes / 4), 0);
  expect(asked - (spent?.inputTokens ?? 0)).toBeLessThan(12_000); // the request that the restart cut short, and the last
}, 300_000);
