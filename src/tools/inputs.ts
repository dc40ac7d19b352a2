/** Input shapes that several tools share. */
import { z } from "zod";
import { quote, type TaskId, taskId } from "../core/ids.ts";

/** A task id as models write it: 3, "3", "#3". The message says what to do when they pass a subject. */
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

/** A whole number, also as text: models write "10" for 10. */
export const whole = (): z.ZodType<number> => z.coerce.number().int().meta({ type: "integer" });
