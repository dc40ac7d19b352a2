/** The shapes of settings about models: how hard they think, and what is not known of them. */
import { z } from "zod";
import { messageOf } from "../errors.ts";
import { lazy } from "../lazy.ts";
import { EFFORTS, PHASES } from "./effort.ts";

export const positive = lazy(() => z.int("a whole number").min(1, "a number of 1 or more"));
export const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, `one of ${values.map((value) => `"${value}"`).join(", ")}`);

const effort = lazy(() => oneOf(EFFORTS));
const roleEfforts = lazy(() => z.record(z.string(), effort(), 'levels by role, such as { "tester": "low" }'));
export const modelSetting = lazy(() =>
  z
    .strictObject(
      {
        efforts: z.array(effort(), "a list of levels").readonly(),
        thinking: oneOf(["adaptive", "effort", "level", "budget", "none"]),
        window: positive(),
        longest: positive(),
        patch: oneOf(["apply_patch", "edit"]),
        price: z
          .strictObject(
            { input: z.number().min(0), output: z.number().min(0), cached: z.number().min(0).optional() },
            'dollars per million tokens, such as { "input": 1, "output": 5 }',
          )
          .readonly(),
        options: z.record(z.string(), z.unknown(), "fields of a request"),
      },
      "an object",
    )
    .partial(),
);

export const effortSetting = lazy(() =>
  z.union(
    [
      effort(),
      z
        .strictObject({
          ...(Object.fromEntries(PHASES.map((phase) => [phase, effort()])) as Record<
            (typeof PHASES)[number],
            ReturnType<typeof effort>
          >),
          roles: roleEfforts(),
        })
        .partial(),
    ],
    `one of ${EFFORTS.join(", ")}, or levels such as { "plan": "high", "work": "medium", "roles": { "tester": "low" } }`,
  ),
);

export const money = lazy(() => z.number("a number").positive("a number above 0"));
export const dollars = lazy(() =>
  z
    .union([money(), z.literal("none")], 'a number above 0, or "none"')
    .transform((usd) => (usd === "none" ? Number.POSITIVE_INFINITY : usd)),
);
export const count = lazy(() => z.int("a whole number").min(0, "a number of 0 or more"));
export const duration = lazy(() => positive().max(2_147_483_647, "at most 2147483647 milliseconds"));

/** Turns the error of a reader into an issue, so that names are checked by one rule everywhere. */
export const read =
  <I, O>(reader: (input: I) => O) =>
  (input: I, ctx: { addIssue(issue: string): void }): O => {
    try {
      return reader(input);
    } catch (error) {
      ctx.addIssue(messageOf(error));
      return z.NEVER;
    }
  };

export const flag = lazy(() => z.boolean("true or false"));

/** A switch that may be left to the program. */
export const flagOr = <W extends string>(word: W) =>
  z.union([z.boolean(), z.literal(word)], `${word}, true or false`);

export const text = lazy(() => z.string("a text").min(1, "a text that is not empty"));
