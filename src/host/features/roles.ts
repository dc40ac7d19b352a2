/** A role gives a member a section and leaves it only some tools. The lead gets the catalogue. */
import { applyRole, type Role, roleCatalogue, roleNamed, rolePrompt } from "../../core/project/role.ts";
import type { Feature } from "../../runtime/agent/feature.ts";
import type { Setup } from "../setup.ts";

export const roles = ({ files, profile: { kind, role } }: Pick<Setup, "files" | "profile">): Feature => {
  const own = (): Role | null => roleNamed(files.library.roles, role);
  return {
    sections: () => [
      { place: "own", about: "roles", text: kind === "lead" ? roleCatalogue(files.library.roles) : "" },
      { place: "own", about: "role", text: rolePrompt(own()) },
    ],
    narrow: (tools) => applyRole(own(), tools),
  };
};
