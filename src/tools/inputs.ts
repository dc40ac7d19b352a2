/** Input shapes that tools share. Each is made once, because making one takes longer than using it. */
import { z } from "zod";
import { quote, type TaskId, taskId } from "../core/ids.ts";

/** A task id as models write it: 3, "3", "#3". The message helps a model that passes a subject. */
export const id = z
  .union([z.int(), z.string()], "expected the number of a task, such as 3")
  .transform((value, ctx): TaskId => {
    try {
      return taskId(value);
    } catch {
      ctx.addIssue(`${quote(value)} is not a task id; pass the number that list_tasks shows, such as 3`);
      return z.NEVER;
    }
  })
  .meta({ type: "integer" });

/** A list of them: also one alone, and text such as "#2, #3". */
export const ids = z
  .union([z.array(z.unknown()), z.int(), z.string()], "expected numbers of tasks, such as [2, 3]")
  .transform((value, ctx): TaskId[] => {
    const list =
      typeof value === "string"
        ? value.replace(/^\[(.*)\]$/s, "$1").split(/[,;]|\s+(?=#?\d)/)
        : [value].flat();
    return list
      .filter((one) => typeof one !== "string" || one.trim() !== "")
      .map((one) => {
        const read = id.safeParse(typeof one === "string" ? one.replace(/^\s*"(.*)"\s*$/, "$1") : one);
        if (!read.success) ctx.addIssue(read.error.issues[0]?.message ?? "is not a task id");
        return read.data as TaskId;
      });
  })
  .meta({ type: "array", items: { type: "integer" } });

export const text = z.string();
/** Also as text: some models write "true". */
export const flag = z
  .union(
    [z.boolean(), z.enum(["true", "false"]).transform((said) => said === "true")],
    "expected true or false",
  )
  .meta({ type: "boolean" });

/** A whole number, also as text: some models write "10" for 10. */
export const whole = z
  .union(
    [
      z.int(),
      z
        .string()
        .regex(/^\s*[-+]?\d+\s*$/)
        .transform(Number),
    ],
    "expected a whole number, such as 10",
  )
  .meta({ type: "integer" });

/** Optional fields. */
export const maybe = {
  /** Taken and checked, but not told to models: nobody has two tasks at once, and every request pays for what it lists. */
  ownId: id.optional().meta({ untold: true }),
  ids: ids.optional(),
  text: text.optional(),
  texts: z.array(text).optional(),
  flag: flag.optional(),
  whole: whole.optional(),
} as const;
