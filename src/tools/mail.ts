/** Messages between members. They also reach a member by themselves, before its next turn. */
import { z } from "zod";
import { name } from "../core/ids.ts";
import { checkText } from "../core/mail.ts";
import { delivered } from "../core/prompt.ts";
import { defineTool } from "./define.ts";

export const sendMessage = defineTool({
  name: "send_message",
  description: 'Message a member, the lead ("lead") or the person ("person").',
  access: "team",
  input: z.object({
    to: z.string(),
    text: z.string(),
    urgent: z.boolean().optional().describe("interrupts them"),
  }),
  subject: ({ to }) => to,
  run: async ({ to, text, urgent = false }, { store, self, seat, answer }) => {
    const sent = `Sent to ${to}.`;
    await store.mail.send(
      self,
      { to: name(to), body: { kind: "note", text: checkText(text) }, urgent },
      { seat, make: () => answer(sent) },
    );
    return sent;
  },
});

export const broadcast = defineTool({
  name: "broadcast",
  description: "Message everybody in the team.",
  access: "team",
  input: z.object({ text: z.string() }),
  run: async ({ text }, { store, self }) => {
    const names = await store.mail.broadcast(self, { kind: "broadcast", text: checkText(text) });
    return names.length === 0
      ? "There is nobody else in the team."
      : `Sent to ${names.length}: ${names.join(", ")}.`;
  },
});

export const checkInbox = defineTool({
  name: "check_inbox",
  description: "Read mail now instead of before your next turn.",
  access: "team",
  input: z.object({}),
  run: async (_, { store, seat, answer }) => {
    const show = (mail: Parameters<typeof delivered>[0]): string =>
      delivered(mail)
        .map((entry) => (entry.kind === "heard" ? entry.text : ""))
        .join("\n");
    const mail = await store.mail.deliver(seat, (letters) => [answer(show(letters))]);
    return mail.length === 0 ? "No new mail." : show(mail);
  },
});
