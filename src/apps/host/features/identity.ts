/** Who a member is and how it works: the head of its system prompt. */
import { systemPrompt } from "../../../core/conversation/prompt.ts";
import type { MakeFeature } from "../setup.ts";

export const identity: MakeFeature = ({ parts: { store, workspace }, profile }) => ({
  section: () => systemPrompt({ ...profile, team: store.team }, workspace),
});
