/** The other members, in a line of a teammate's prompt: it must know whom it can write to. The lead has a tool that says more. */
import { membersLine } from "../../../core/views/identity.ts";
import type { MakeFeature } from "../setup.ts";

export const teamList: MakeFeature = async ({ parts: { store }, profile }) => {
  if (profile.kind === "lead") return null;
  let line = "";
  const refresh = async (): Promise<void> => {
    line = membersLine(await store.roster.members(), profile.name);
  };
  await refresh();
  return { refresh, section: () => line };
};
