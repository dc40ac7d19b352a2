/**
 * (p) What a team of eight pays for its input with a provider that caches prefixes, at list prices: the same requests as the program
 * sends them, and laid out as before (who one is first, the rules of the project in the system prompt behind it). The emulator
 * reads the longest prefix that a request before had marked and that was answered, if it is at most 20 blocks before a mark; it
 * writes up to the last mark. Also shows the cost with the price of reading of older models.
 */
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { loopback } from "./loopback.ts";
import type { Item } from "./measure.ts";
import { figure } from "./measure.ts";
import { BUILT, freshFolder, runNode } from "./stage.ts";

const TEAM = 8;
/** About 4,000 tokens. */
const RULES = "Write short functions and name things by what they are. ".repeat(290);
/**
 * Multiples of the price of fresh input, by Anthropic's list of 2026-11-23: written for five minutes, written for an hour, and read.
 * Reading costs 0.05 with Claude Sonnet 5.5, the default model (and Opus 5.5), and 0.1 with older models.
 */
const WRITTEN = { "5m": 1.25, "1h": 2 } as const;
const READ = { now: 0.05, older: 0.1 } as const;
/** Dollars per million tokens of fresh input: Claude Sonnet 5.5. */
const PRICE = 2;
const MINIMUM = 1_024;
/** The provider looks for what it has so many blocks back from each mark. */
const LOOKBACK = 20;

type Mark = { readonly ttl?: string };
type Block = { readonly text?: string; readonly cache_control?: Mark };
type Body = {
  readonly system?: readonly Block[];
  readonly tools?: readonly Block[];
  readonly messages: readonly { readonly role: string; readonly content: readonly Block[] }[];
};
type Request = { readonly at: number; readonly endedAt: number; readonly blocks: readonly Block[] };

const inOrder = ({ tools = [], system = [], messages }: Body): Block[] => [
  ...tools,
  ...system,
  ...messages.flatMap(({ role, content }) => content.map((block) => ({ ...block, role }))),
];

/** As requests were laid out before: one system prompt that begins with the identity, marks on tools, system and the last messages. */
function asBefore(body: Body): Block[] {
  const [first, ...rest] = body.messages;
  const texts = first?.content ?? [];
  const end = texts.findIndex(({ text }) => text?.includes("<identity>"));
  const opening = texts.slice(0, end + 1).map(({ text = "" }) => text);
  const [identity = "", ...shared] = opening.toReversed();
  const system = [identity, ...(body.system ?? []).map(({ text = "" }) => text), ...shared.toReversed()];
  const marked: Mark = {};
  const tools = (body.tools ?? []).map((tool, i, all) =>
    i === all.length - 1 ? { ...tool, cache_control: marked } : { ...tool, cache_control: undefined },
  );
  return inOrder({
    tools: tools as Block[],
    system: [{ text: system.join("\n\n"), cache_control: marked }],
    messages: [{ role: "user", content: texts.slice(end + 1) }, ...rest],
  });
}

/** Dollars for the input of all requests, and the share that was read from the cache. */
function priced(
  requests: readonly Request[],
  reading: number,
): { readonly usd: number; readonly share: number } {
  const written: { readonly key: string; readonly from: number }[] = [];
  let [usd, read, all] = [0, 0, 0];
  for (const { at, endedAt, blocks } of requests) {
    let key = "";
    let tokens = 0;
    const ends = blocks.map(({ cache_control: mark, ...block }) => {
      const text = JSON.stringify(block);
      key = digest(key + text);
      tokens += text.length / 4;
      return { mark, key, tokens };
    });
    const marks = ends.flatMap(({ mark }, i) => (mark ? [i] : []));
    const known = ends.findLast(
      (end, i) =>
        end.tokens >= MINIMUM &&
        marks.some((at) => i <= at && at - i < LOOKBACK) &&
        written.some((one) => one.key === end.key && one.from <= at),
    );
    const hit = known?.tokens ?? 0;
    let billed = hit * reading;
    let done = hit;
    for (const end of ends) {
      if (!end.mark || end.tokens <= hit || end.tokens < MINIMUM) continue;
      billed += (end.tokens - done) * WRITTEN[end.mark.ttl === "1h" ? "1h" : "5m"];
      done = end.tokens;
      written.push({ key: end.key, from: endedAt });
    }
    billed += tokens - done;
    usd += (billed * PRICE) / 1e6;
    read += hit;
    all += tokens;
  }
  return { usd, share: read / all };
}

/** Who reports while the lead is asked already differs from run to run, and with it the number of requests. */
const RUNS = 5;

export const cache: Item = async () => {
  const runs: Costs[] = [];
  while (runs.length < RUNS) runs.push(await costsOfRun());
  const ratio = ({ now, before }: Costs): number => now.usd / before.usd;
  const all = runs.sort((a, b) => ratio(a) - ratio(b));
  const { now, before, older, requests } = all[Math.floor(RUNS / 2)] as Costs;
  const span = [all[0], all.at(-1)].map((one) => ratio(one as Costs).toFixed(3)).join(" to ");
  return [
    figure({
      item: "p",
      name: `input of a team of ${TEAM} with 4,000 tokens of rules`,
      unit: "USD",
      value: now.usd,
      floor: before.usd,
      budget: { of: "ratio", atMost: 0.6 },
      note: `the median of ${RUNS} runs, ${span}; ${requests} requests; read from the cache: ${percent(now.share)}, before ${percent(before.share)}. The floor is the layout before. With reading at 0.1: ${older.toFixed(2)}×`,
    }),
  ];
};

type Cost = ReturnType<typeof priced>;
/** `older`: the ratio with the price of reading of older models. */
type Costs = {
  readonly now: Cost;
  readonly before: Cost;
  readonly older: number;
  readonly requests: number;
};

async function costsOfRun(): Promise<Costs> {
  const folder = freshFolder();
  const tasks = Array.from(
    { length: TEAM * 2 },
    (_, nth) => `## Look at part ${nth + 1}\n\nLook, then say so.\n`,
  );
  writeFileSync(join(folder, "AGENTS.md"), RULES);
  writeFileSync(join(folder, "tasks.md"), `# Look\n\n${tasks.join("\n")}`);
  const server = await loopback((_, text) => {
    const { messages } = JSON.parse(text) as Body;
    const last = JSON.stringify(messages.at(-1));
    if (!JSON.stringify(messages[0]).includes("a teammate in team")) return { text: "Seen." };
    if (last.includes("auto-claimed")) return { tool: "bash", input: { command: "echo looked" } };
    if (last.includes("looked")) return { tool: "bash", input: { command: "echo again" } };
    return last.includes("again")
      ? { tool: "complete_task", input: { result: "All is well." } }
      : { text: "The part is looked after." };
  });
  try {
    const args = ["run", "tasks.md", "--model", "anthropic/loopback", "--teammates", String(TEAM), "--quiet"];
    await runNode([BUILT, ...args, "--permission-mode", "bypass"], server.env, 0, folder);
  } finally {
    await server.close();
  }
  const bodies = server.seen.map((seen) => ({ ...seen, body: JSON.parse(seen.body) as Body }));
  const costs = (reading: number) => {
    const cost = (layOut: (body: Body) => Block[]) =>
      priced(
        bodies.map(({ at, endedAt, body }) => ({ at, endedAt, blocks: layOut(body) })),
        reading,
      );
    return { now: cost(inOrder), before: cost(asBefore) };
  };
  const older = costs(READ.older);
  return { ...costs(READ.now), older: older.now.usd / older.before.usd, requests: bodies.length };
}

const digest = (text: string): string => createHash("sha256").update(text).digest("base64url");
const percent = (share: number): string => `${Math.round(share * 100)} %`;
