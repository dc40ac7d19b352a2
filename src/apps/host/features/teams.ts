/** Other teams in the same store, for a lead that may create them. */
import { teamsTools } from "../../../tools/index.ts";
import type { MakeFeature } from "../setup.ts";

export const teams: MakeFeature = ({ parts: { settings }, profile }) =>
  profile.kind === "lead" && settings.teams ? { tools: () => teamsTools } : null;
