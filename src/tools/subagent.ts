/** Gives a job to a subagent. Jobs of one reply that only read run in parallel; others run one after the other. */

import { z } from "zod";
import type { Role } from "../core/project/role.ts";
import { cutEnd } from "../core/text/valid.ts";
import type { Tool, ToolContext } from "../ports/index.ts";
import { defineTool } from "./define.ts";
import { maybe } from "./inputs.ts";

/** Runs one subagent to its end and returns its final text. Rejects with the signal's reason when the call is interrupted. */
export type Delegate = (
  job: { readonly prompt: string; readonly readOnly: boolean; readonly role: string },
  ctx: ToolContext,
) => Promise<string>;

const job = () =>
  z.strictObject({
    prompt: z.string().trim().min(1, "is empty: describe the job"),
    read_only: maybe.flag,
  });

/** The input has a role only if the project has roles. */
export function taskTool(delegate: Delegate, roles: readonly Role[]): Tool {
  if (roles.length === 0) return taking(job, delegate);
  const names = roles.map(({ name }) => name).join(", ");
  const role = z
    .string()
    .optional()
    .describe(names.length > NAMES_MAX ? `such as ${roles[0]?.name}` : `one of ${names}`);
  return taking(() => job().extend({ role }), delegate);
}

/** Characters of the names of roles in the description. */
const NAMES_MAX = 300;

type Asked = { prompt: string; read_only?: boolean | undefined; role?: string | undefined };

const taking = (input: () => z.ZodType<Asked>, delegate: Delegate): Tool =>
  defineTool({
    name: "task",
    description: "A subagent does a job in a fresh context. You get its final text.",
    // Each of its own calls needs permission, so the job itself needs none: "read" runs in parallel, "team" alone.
    access: "team",
    input,
    accessOf: ({ read_only }) => (read_only ? "read" : "team"),
    subject: ({ prompt }) => subject(prompt),
    reads: () => [],
    shows: { subagent: "prompt" },
    run: ({ prompt, read_only = false, role = "" }, ctx) =>
      delegate({ prompt, readOnly: read_only, role }, ctx),
  });

const subject = (prompt: string): string => cutEnd(prompt.replace(/\s+/g, " "), 100);
