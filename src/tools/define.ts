/** Makes a tool from a definition whose functions have the type of its input. */
import type { z } from "zod";
import { lazy } from "../core/lazy.ts";
import type { Access, Effect, FileChange, Tool, ToolContext } from "../ports/index.ts";

type Definition<S extends z.ZodType> = Omit<
  Tool,
  "input" | "run" | "preview" | "subject" | "accessOf" | "effectOf"
> & {
  /** Made when the tool is first offered or called. */
  readonly input: () => S;
  accessOf?(input: z.output<S>): Access;
  effectOf?(input: z.output<S>): Effect | undefined;
  subject?(input: z.output<S>): string;
  preview?(input: z.output<S>, ctx: ToolContext): Promise<FileChange>;
  run(input: z.output<S>, ctx: ToolContext): Promise<string>;
};

/** Types the functions by the schema of `input`, then forgets that type, so that all tools fit into one list. */
export const defineTool = <S extends z.ZodType>(tool: Definition<S>): Tool =>
  ({ ...tool, input: lazy(tool.input) }) as unknown as Tool;
