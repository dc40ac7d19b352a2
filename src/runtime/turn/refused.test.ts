/** These tests check which errors of a provider are about the conversation, so that another form of it may be accepted. */
import { expect, it } from "vitest";
import { EkidenError } from "../../core/errors.ts";
import { isRefusal } from "./refused.ts";

it.each([
  ["model_refused", 400, true, true],
  ["model_refused", 422, true, true],
  // With images, because a model that takes none refuses them in its own way.
  ["model_refused", 404, false, true],
  ["model_overloaded", 400, false, false],
] as const)("%s with status %i: %s, and %s with images", (code, status, alone, withImages) => {
  const error = new EkidenError(code, "no", { details: { status } });
  expect([isRefusal(error, false), isRefusal(error, true)]).toEqual([alone, withImages]);
});
