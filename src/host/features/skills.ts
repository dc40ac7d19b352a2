/** Skills: a catalogue in the prompt, the tool that reads one, and their folders. */
import { skillCatalogue } from "../../core/project/skill.ts";
import type { Feature } from "../../runtime/agent/feature.ts";
import { skillTools } from "../../tools/skill.ts";
import type { Setup } from "../setup.ts";

export const skills = ({ files }: Pick<Setup, "files">): Feature => ({
  sections: () => [{ place: "shared", about: "skills", text: skillCatalogue(files.library.skills) }],
  tools: () => skillTools(() => files.library.skills),
  readable: () => files.library.skills.map(({ folder }) => folder),
});
