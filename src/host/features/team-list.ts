/** The other members, in a line of a teammate's prompt: it must know whom it can write to. The lead has a tool that says more. */
import { LISTED, membersLine } from "../../core/views/identity.ts";
import type { MakeFeature } from "../setup.ts";

export const teamList: MakeFeature = async ({ parts: { store }, profile }) => {
  if (profile.kind === "lead") return null;
  let line = "";
  // The name of a role is a text of the project: anything may be in it.
  let isOfProgram = true;
  const refresh = async (): Promise<void> => {
    const { first, total } = await store.roster.teammates(LISTED + 1);
    line = membersLine(first, total, profile.name);
    isOfProgram = first.every(({ role }) => role === "");
  };
  await refresh();
  return {
    refresh,
    sections: () => [
      { place: "own", about: "team", text: line, ...(isOfProgram && { ofProgram: true as const }) },
    ],
  };
};
