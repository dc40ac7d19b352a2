/** The tool by which a member requests a summary of a long conversation. `Context` sums up without it when it must. */
import { compact } from "../../tools/compact.ts";
import type { MakeFeature } from "../setup.ts";

export const compaction: MakeFeature = ({ conversation }) => {
  const tools = [compact(() => conversation.size)];
  return { tools: () => tools };
};
