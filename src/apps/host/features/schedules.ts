/** Cron jobs, for the lead. */
import { cronTools } from "../../../tools/index.ts";
import type { MakeFeature } from "../setup.ts";

export const schedules: MakeFeature = ({ parts: { store }, profile }) =>
  profile.kind === "lead"
    ? {
        tools: () => [cronTools.schedule],
        toolsOnceNeeded: async () =>
          (await store.crons.list()).length > 0 ? [cronTools.list, cronTools.cancel] : [],
      }
    : null;
