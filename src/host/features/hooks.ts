/** The person's hooks: around calls, and at the start of a session, where they may add a section. */
import { hookedCalls as around } from "../../runtime/wraps/hooked-calls.ts";
import type { MakeFeature } from "../setup.ts";

/** A hook does not hold up the start of a member for longer, whatever its own timeout. */
const START_MS = 60_000;

export const hookedCalls: MakeFeature = async ({ parts, profile, entries, hooks }) => {
  const source = entries.length === 0 ? "startup" : "resume";
  const section = await hooks.start(source, AbortSignal.timeout(START_MS));
  return {
    sections: () => [{ place: "own", about: "hooks", text: section }],
    wrap: around(parts.hooks, profile),
  };
};
