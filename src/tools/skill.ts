/** Reads a skill. Offered only if there are skills; the catalogue in the prompt names them. */
import { z } from "zod";
import { findSkill, type Skill, showSkill } from "../core/project/skill.ts";
import type { Tool } from "../ports/index.ts";
import { defineTool } from "./define.ts";
import { text } from "./inputs.ts";

/** [] if there are no skills. `skills` is read at every call, and changes only between stints. */
export const skillTools = (skills: () => readonly Skill[]): Tool[] =>
  skills().length === 0
    ? []
    : [
        defineTool({
          name: "load_skill",
          description: "Read a skill.",
          access: "read",
          input: () => z.strictObject({ name: text }),
          subject: ({ name }) => name,
          reads: () => [],
          lasting: true,
          run: async ({ name }) => showSkill(findSkill(skills(), name)),
        }),
      ];
