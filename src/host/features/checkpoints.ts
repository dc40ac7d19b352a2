/** What the calls of a member change in files is recorded, so that a person can take it back: `ekiden undo`. */
import { CHANGES } from "../../runtime/wraps/held-claim.ts";
import type { MakeFeature, Setup } from "../setup.ts";

const recorderFor = async (parts: Setup["parts"]) =>
  await (await import("../checkpoints/recorder.ts")).recorderOf(parts);

export const checkpoints: MakeFeature = ({ parts }) => {
  let reply = 0;
  let flush = async (): Promise<void> => {};
  return {
    wrap: (next) => async (call) => {
      if (!CHANGES.has(call.access)) return await next(call);
      const recorder = await recorderFor(parts);
      flush = () => recorder.flush();
      return await recorder.around(call, next, reply);
    },
    afterRound() {
      reply += 1;
      return null;
    },
    beforeRelease: () => flush(),
  };
};

/** Right before a task lands, inside of all that may still change its files. */
export const landingCheckpoint: MakeFeature = ({ parts }) => ({
  wrap: (next) => async (call) => {
    if (call.tool.effect === "completes" && call.ctx.workspace !== parts.workspace)
      await (await recorderFor(parts)).beforeLanding(call);
    return await next(call);
  },
});
