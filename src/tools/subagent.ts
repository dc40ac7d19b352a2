/** A job handed to a subagent. Several in one reply run side by side when they only read; others one after the other. */
import { z } from "zod";
import type { Role } from "../core/project/role.ts";
import type { Tool, ToolContext } from "../ports/index.ts";
import { defineTool } from "./define.ts";
import { maybe } from "./inputs.ts";

/** Runs one subagent to its end and returns its final text. Rejects with the signal's reason when its member's call is cut short. */
export type Delegate = (
  job: { readonly prompt: string; readonly readOnly: boolean; readonly role: string },
  ctx: ToolContext,
) => Promise<string>;

const job = () =>
  z.object({
    prompt: z.string().trim().min(1, "is empty: say what is to be done"),
    read_only: maybe.flag,
  });

/** A role can be asked for only where there are any. */
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
    description: "A subagent does a job in a fresh context; you get its final text.",
    // Its own calls are judged one by one, so the job as such needs no leave: "read" runs beside others, "team" alone.
    access: "team",
    input,
    accessOf: ({ read_only }) => (read_only ? "read" : "team"),
    subject: ({ prompt }) => subject(prompt),
    run: ({ prompt, read_only = false, role = "" }, ctx) =>
      delegate({ prompt, readOnly: read_only, role }, ctx),
  });

const subject = (prompt: string): string => prompt.replace(/\s+/g, " ").slice(0, 100);
