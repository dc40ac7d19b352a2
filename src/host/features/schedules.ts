/** Cron jobs, for the lead. */
import { cronTools } from "../../tools/index.ts";
import type { MakeFeature } from "../setup.ts";

export const schedules: MakeFeature = ({ profile }) =>
  profile.kind === "lead" ? { tools: () => Object.values(cronTools) } : null;
