/** A member of a draining worker finishes what it has begun and takes no new task. */
import type { Store } from "../../ports/index.ts";
import type { MakeFeature } from "../setup.ts";

/** The store as members see it: once the worker drains, there is nothing to claim. */
export function withoutClaims(store: Store, isDraining: () => boolean): Store {
  const claimNext: Store["board"]["claimNext"] = async (...asked) =>
    isDraining() ? null : await store.board.claimNext(...asked);
  // Inherited and not spread: the signing store inherits its members, too.
  return Object.assign(Object.create(store), {
    board: Object.assign(Object.create(store.board), { claimNext }),
  }) as Store;
}

/** Refuses the tools that claim. */
export const noClaims =
  (isDraining: () => boolean): MakeFeature =>
  () => ({
    wrap: (next) => async (call) => {
      if (isDraining() && call.tool.effect === "claims")
        throw new Error(
          "The process you run in is about to end, so it takes no new tasks. The task stays on the board for others. End your turn.",
        );
      return await next(call);
    },
  });
