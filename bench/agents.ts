/**
 * (r) What it costs to host an agent program of another vendor as a teammate: each prompt, beside the same prompt of the smallest client of
 * the protocol, and memory in this program. The programs themselves are the smallest that speak the protocol.
 */
import { join } from "node:path";
import { type Figure, figure, type Item, median } from "./measure.ts";
import { crew, floorScript, freshFolder, ROOT, TSX } from "./stage.ts";

type Memory = { readonly rssMb: number; readonly usedMb: number };

export const agents: Item = async (quick) => {
  const [prompts, many] = quick ? [20, 4] : [100, 8];
  const raw = crew(floorScript("acp-client.mjs"), [floorScript("acp-agent.mjs")]);
  const floor = (await raw.ask<{ ms: number[] }>(`prompts ${prompts}`)).ms;
  await raw.end();
  const one = await hosted(1, prompts);
  const [none, all] = [await hosted(0, 0), await hosted(many, 0)];
  const each = (of: keyof Memory): number => (all.memory[of] - none.memory[of]) / many;
  const added = median(one.ms) - median(floor);
  return [
    figure({
      ...{ item: "r", unit: "ms", name: "a prompt of a hosted agent: mail → its answer recorded" },
      value: added,
      floor: median(floor),
      budget: { of: "value", atMost: 30 },
      samples: one.ms,
      note: "without the floor: the same prompt of a bare client",
    }),
    memoryOf(many, Math.max(each("rssMb"), each("usedMb")), each("usedMb")),
  ];
};

const memoryOf = (many: number, value: number, used: number): Figure =>
  figure({
    ...{ item: "r", unit: "MB", name: `memory for each of ${many} hosted agents that have worked`, value },
    budget: { of: "value", atMost: 25 },
    note: `resident; in use ${used.toFixed(1)} MB each. Without the programs' own processes`,
  });

/** A host with so many hosted agents, each after one prompt. */
async function hosted(count: number, prompts: number): Promise<{ ms: number[]; memory: Memory }> {
  const args = [freshFolder(), String(count), floorScript("acp-agent.mjs")];
  const host = crew(join(ROOT, "bench/agent-host.ts"), args, ["--expose-gc", ...TSX]);
  await host.ask("begin");
  const { ms } = prompts > 0 ? await host.ask<{ ms: number[] }>(`prompts ${prompts}`) : { ms: [] };
  const memory = await host.ask<Memory>("memory");
  await host.end();
  return { ms, memory };
}
