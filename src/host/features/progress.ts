/** A member is told when the team comes near its limit of calls without progress. */
import { heard } from "../../core/conversation/chat.ts";
import type { Feature } from "../../runtime/agent/feature.ts";
import type { Setup } from "../setup.ts";

export const progress = ({ profile, noteOfLimit }: Pick<Setup, "profile" | "noteOfLimit">): Feature => ({
  afterRound: () => {
    const note = noteOfLimit(profile.name);
    return note === null ? null : heard(note);
  },
});
