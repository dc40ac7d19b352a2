/** The other members, in a line of a teammate's prompt: it must know whom it can write to. The lead has a tool that says more. */
import { LISTED, membersLine } from "../../core/views/identity.ts";
import type { MakeFeature } from "../setup.ts";

export const teamList: MakeFeature = async ({ parts: { store }, profile }) => {
  if (profile.kind === "lead") return null;
  let line = "";
  const refresh = async (): Promise<void> => {
    const { first, total } = await store.roster.teammates(LISTED + 1);
    line = membersLine(first, total, profile.name);
  };
  await refresh();
  return { refresh, sections: () => [{ place: "own", about: "team", text: line, ofProgram: true }] };
};
