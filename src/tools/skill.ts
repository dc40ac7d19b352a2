/** Skills on demand. Offered only where there are skills; the prompt's catalogue says which. */
import { z } from "zod";
import { findSkill, type Skill, showSkill } from "../core/project/skill.ts";
import type { Tool } from "../ports/index.ts";
import { defineTool } from "./define.ts";
import { text } from "./inputs.ts";

/** [] when there are none. `skills` is asked at every call, and changes between stints only. */
export const skillTools = (skills: () => readonly Skill[]): Tool[] =>
  skills().length === 0
    ? []
    : [
        defineTool({
          name: "load_skill",
          description: "Read a skill.",
          access: "read",
          input: () => z.object({ name: text }),
          subject: ({ name }) => name,
          run: async ({ name }) => showSkill(findSkill(skills(), name)),
        }),
      ];
