/** What the calls of a member change in files is recorded, so that a person can take it back: `ekiden undo`. */
import { CHANGES } from "../../runtime/wraps/held-claim.ts";
import type { MakeFeature } from "../setup.ts";

export const checkpoints: MakeFeature = ({ parts }) => {
  let reply = 0;
  let flush = async (): Promise<void> => {};
  return {
    wrap: (next) => async (call) => {
      if (!CHANGES.has(call.access)) return await next(call);
      const recorder = await (await import("../checkpoints/recorder.ts")).recorderOf(parts);
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
