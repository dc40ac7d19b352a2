/** Input shapes that tools share. Each is made once, because making one takes longer than using it. */
import { z } from "zod";
import { quote, type TaskId, taskId } from "../core/ids.ts";

/** A task id as models write it: 3, "3", "#3". The message helps a model that passes a subject. */
export const id = z
  .int()
  .or(z.string())
  .transform((value, ctx): TaskId => {
    try {
      return taskId(value);
    } catch {
      ctx.addIssue(`${quote(value)} is not a task id; pass the number that list_tasks shows, such as 3`);
      return z.NEVER;
    }
  })
  .meta({ type: "integer" });

export const ids = z.array(id);

export const text = z.string();
export const flag = z.boolean();

/** A whole number, also as text: some models write "10" for 10. */
const whole: z.ZodType<number> = z.coerce.number().int().meta({ type: "integer" });

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
