/** The rules of the project (AGENTS.md), and the reading of all its files for agents before each stint. */
import type { Feature } from "../../runtime/agent/feature.ts";
import type { Setup } from "../setup.ts";

export const projectRules = ({ files }: Pick<Setup, "files">): Feature => ({
  refresh: () => files.refresh(),
  sections: () => [{ place: "shared", about: "rules", text: files.library.rules }],
});
