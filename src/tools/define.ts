/** Makes a tool from a definition whose functions have the type of its input. */
import type { z } from "zod";
import { lazy } from "../core/lazy.ts";
import type { Access, FileChange, Tool, ToolContext } from "../ports/index.ts";

type Definition<S extends z.ZodType> = Omit<
  Tool,
  "input" | "run" | "preview" | "subject" | "reads" | "writes" | "line" | "accessOf"
> & {
  /** Made when the tool is first offered or called. */
  readonly input: () => S;
  accessOf?(input: z.output<S>): Access | Promise<Access>;
  subject?(input: z.output<S>): string;
  reads?(input: z.output<S>): readonly string[];
  writes?(input: z.output<S>): readonly string[];
  line?(input: z.output<S>): string;
  preview?(input: z.output<S>, ctx: ToolContext): Promise<FileChange>;
  run(input: z.output<S>, ctx: ToolContext): Promise<string>;
};

/** Types the functions by the schema of `input`, then forgets that type, so that all tools fit into one list. */
export const defineTool = <S extends z.ZodType>(tool: Definition<S>): Tool =>
  ({ ...tool, input: lazy(tool.input) }) as unknown as Tool;
