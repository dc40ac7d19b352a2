import type { z } from "zod";
import { lazy } from "../core/lazy.ts";
import type { Access, Tool, ToolContext } from "../ports/index.ts";

type Definition<S extends z.ZodType> = Omit<Tool, "input" | "run" | "subject" | "accessOf"> & {
  /** Made when the tool is first offered or called. */
  readonly input: () => S;
  accessOf?(input: z.output<S>): Access;
  subject?(input: z.output<S>): string;
  run(input: z.output<S>, ctx: ToolContext): Promise<string>;
};

/** Ties `run`'s parameter to the schema of `input`, then forgets the type, so that tools can sit in one list. */
export const defineTool = <S extends z.ZodType>(tool: Definition<S>): Tool =>
  ({ ...tool, input: lazy(tool.input) }) as unknown as Tool;
