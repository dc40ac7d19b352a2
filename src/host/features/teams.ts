/** Teams in the same store, for a lead that may create and delete them. */
import { teamsTools } from "../../tools/index.ts";
import type { MakeFeature } from "../setup.ts";

export const teams: MakeFeature = ({ parts: { settings }, profile, onDeleteTeam }) => {
  if (profile.kind !== "lead" || !settings.teams) return null;
  const tools = [teamsTools.create, teamsTools.delete(onDeleteTeam)];
  return { tools: () => tools };
};
