/** For a member whose claim was taken from it while its process was not heard of. */
import { hasLostClaim } from "../../../core/conversation/lost-claim.ts";
import { untilClaimed } from "../../../runtime/wraps/held-claim.ts";
import type { MakeFeature } from "../setup.ts";

export const lostClaims: MakeFeature = ({ entries, profile }) =>
  profile.kind === "teammate" && hasLostClaim(entries) ? { wrap: untilClaimed() } : null;
