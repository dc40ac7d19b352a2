/** The tool by which a member requests a summary, once its conversation is long. `Context` sums up without it when it must. */
import { compact } from "../../../tools/compact.ts";
import type { MakeFeature } from "../setup.ts";

/** Characters of a conversation. */
const LONG = 40_000;

export const compaction: MakeFeature = ({ conversation }) => ({
  toolsOnceNeeded: () => (conversation.size > LONG ? [compact] : []),
});
