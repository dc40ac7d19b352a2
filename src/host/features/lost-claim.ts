/** For a member whose claim was taken from it, by an order or because its process was not heard of. */
import { lastClaim } from "../../core/conversation/lost-claim.ts";
import { untilClaimed } from "../../runtime/wraps/held-claim.ts";
import type { MakeFeature } from "../setup.ts";

export const lostClaims: MakeFeature = ({ conversation, profile }) =>
  profile.kind === "teammate"
    ? { wrap: untilClaimed(() => lastClaim(conversation.whole)?.isLost === true) }
    : null;
