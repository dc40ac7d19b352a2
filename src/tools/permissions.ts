/** The lead in the person's place: answers its teammates' questions, where the settings say that it may. */
import { z } from "zod";
import type { RequestId } from "../core/ids.ts";
import { defineTool } from "./define.ts";

export const reviewPermission = defineTool({
  name: "review_permission",
  description: "Answer a permission_request. Allow only what the task needs.",
  access: "team",
  input: z.object({ request: z.string(), allow: z.boolean(), reason: z.string().optional() }),
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
