/** Memory: its index in the prompt, its tools, and with the setting `memory` the notes that a member takes after a stint. */
import { messageOf } from "../../core/errors.ts";
import { memorySection } from "../../core/project/memory.ts";
import type { Feature } from "../../runtime/agent/agent.ts";
import { type Reflection, reflection } from "../../runtime/turn/reflection.ts";
import { memoryTools } from "../../tools/memory.ts";
import type { Setup } from "../setup.ts";

type MemorySetup = Pick<Setup, "memory" | "conversation" | "profile" | "onCost"> & {
  readonly parts: { readonly settings: Pick<Setup["parts"]["settings"], "memory"> };
};

export async function memory(setup: MemorySetup): Promise<Feature> {
  const { memory: folder, conversation, profile, onCost } = setup;
  const takesNotes = setup.parts.settings.memory;
  let [hasMemory, index] = [false, ""];
  const refresh = async (): Promise<void> => {
    [hasMemory, index] = await Promise.all([folder.exists(), folder.index()]);
  };
  await refresh();
  const reflect = reflection(folder, conversation, (tokens, usd) => onCost(profile.name, { tokens, usd }));
  const takeNotes: Reflection = (agent, signal) =>
    reflect(agent, signal).catch((error: unknown) => {
      throw new Error(`The new knowledge of ${profile.name} was not kept: ${messageOf(error)}`, {
        cause: error,
      });
    });
  return {
    refresh,
    sections: () => [{ place: "shared", about: "memory", text: memorySection(index) }],
    tools: () => (hasMemory || takesNotes ? memoryTools(folder) : []),
    ...(takesNotes && { onStintEnd: takeNotes, onSummary: takeNotes }),
  };
}
