/** The lead answers permission questions of its teammates, where the settings allow it. */
import { z } from "zod";
import type { RequestId } from "../core/ids.ts";
import { defineTool } from "./define.ts";
import { flag, maybe, text } from "./inputs.ts";

export const reviewPermission = defineTool({
  name: "review_permission",
  description: "Answer a permission_request. Allow only what the task needs.",
  access: "team",
  input: () => z.strictObject({ request: text, allow: flag, reason: maybe.text }),
  subject: ({ request, allow }) => `${request} ${allow ? "yes" : "no"}`,
  run: async ({ request, allow, reason = "" }, { store, self, seat, answer }) => {
    const said = `${allow ? "Allowed" : "Refused"} request ${request}.`;
    await store.requests.answer(
      self,
      request as RequestId,
      "permission",
      { yes: allow, text: reason },
      { seat, entry: answer(said) },
    );
    return said;
  },
});
