/** The identity of a member: the last that its conversation begins with, so that all before it is the same for the other members. */
import { identity as identityOf, whoIs } from "../../core/conversation/prompt.ts";
import type { MakeFeature } from "../setup.ts";

export const identity: MakeFeature = ({ parts: { store }, profile }) => {
  const text = identityOf(whoIs({ ...profile, team: store.team }));
  return { sections: () => [{ place: "own", about: "", text }] };
};
