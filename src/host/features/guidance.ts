/** The agent's guidance and place of work: the head of its system prompt, and what the project has. Fixed when a conversation begins. */
import { guidance as guidanceOf } from "../../core/conversation/prompt.ts";
import type { MakeFeature } from "../setup.ts";

export const guidance: MakeFeature = async ({ parts: { surroundings }, profile, model }) => {
  let seen = await surroundings(model);
  return {
    refresh: async () => {
      seen = await surroundings(model);
    },
    sections: () => [
      { place: "system", about: "", text: guidanceOf(profile.kind, seen.environment) },
      { place: "shared", about: "", text: seen.project },
    ],
  };
};
