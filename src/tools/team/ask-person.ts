/** The tool by which a member asks the person. The question is a request in the store: it outlives this process, and so does the wait. */
import { z } from "zod";
import { checkAsked, type Option } from "../../core/board/question.ts";
import { later, PERSON } from "../../core/ids.ts";
import type { Tool } from "../../ports/index.ts";
import { defineTool } from "../define.ts";
import { maybe, text } from "../inputs.ts";

/** As text, which costs few tokens in every request, or with fields. */
const option = text
  .transform((said): Option => {
    const [, label = said, description = ""] = /^([^:]{1,80}):\s+(\S[\s\S]*)$/.exec(said) ?? [];
    return { label, description };
  })
  .or(z.strictObject({ label: text, description: text.default("") }))
  .meta({ type: "string" });

/** `deadlineMs`: after it the member is told to decide itself. */
export const askPerson = (deadlineMs: number): Tool =>
  defineTool({
    name: "ask_person",
    description: "Ask the person and wait, unless go_on. 2-4 options: `label: description`.",
    access: "team",
    membersOnly: true,
    input: () =>
      z.strictObject({
        question: text,
        options: z.array(option),
        go_on: maybe.flag,
      }),
    subject: ({ question }) => question,
    run: async ({ question, options, go_on: goesOn = false }, { store, self, clock, rest }) => {
      const asked = checkAsked({ question, options });
      const task = (await store.board.mine(self))?.id ?? null;
      const ask = { kind: "question", ...asked, task, waits: !goesOn } as const;
      const { id } = await store.requests.ask(self, PERSON, ask, later(clock.now(), deadlineMs));
      if (!goesOn) rest("awaiting_answer");
      return `Asked the person (request ${id}). The answer comes as mail.${goesOn ? " Continue meanwhile." : " You wait for it."}`;
    },
  });
