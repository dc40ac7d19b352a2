/** Tools for mail between members. A member gets its mail before its next turn without a tool. */
import { z } from "zod";
import { checkText } from "../../core/board/mail.ts";
import { delivered } from "../../core/conversation/prompt.ts";
import { address, fullName, type Name } from "../../core/ids.ts";
import type { Tool } from "../../ports/index.ts";
import { defineTool } from "../define.ts";
import { maybe, text } from "../inputs.ts";

const DESCRIPTION = 'Message a member, "lead" or "person".';

/** `mayReach`: whether mail may go to another team. */
const sending = (description: string, mayReach: (team: Name) => boolean): Tool =>
  defineTool({
    name: "send_message",
    description,
    access: "team",
    input: () =>
      z.strictObject({
        to: text,
        text: text,
        urgent: maybe.flag,
      }),
    subject: ({ to }) => to,
    run: async ({ to, text, urgent = false }, { store, self, seat, answer }) => {
      const { who, team } = address(to);
      const sent = `Sent to ${team === null ? who : fullName(who, team)}.`;
      const mail = { to: who, body: { kind: "note", text: checkText(text) }, urgent } as const;
      if (team === null || team === store.team)
        await store.mail.send(self, mail, { seat, make: () => answer(sent) });
      else if (mayReach(team)) await store.sendAcross(team, fullName(self, store.team), mail);
      else
        throw new Error(`Mail to team "${team}" is not allowed. Ask your lead or the person to pass it on.`);
      return sent;
    },
  });

export const sendMessage = sending(DESCRIPTION, () => false);

/** Replaces `sendMessage` where the settings allow mail to other teams. */
export const sendMessageAcross = (mayReach: (team: Name) => boolean): Tool =>
  sending(`${DESCRIPTION} Other teams: name@team.`, mayReach);

export const broadcast = defineTool({
  name: "broadcast",
  description: "Message all members of the team.",
  access: "team",
  input: () => z.strictObject({ text: text }),
  run: async ({ text }, { store, self }) => {
    const names = await store.mail.broadcast(self, { kind: "broadcast", text: checkText(text) });
    return names.length === 0
      ? "The team has no other members."
      : `Sent to ${names.length}: ${names.join(", ")}.`;
  },
});

export const checkInbox = defineTool({
  name: "check_inbox",
  description: "Read your mail now instead of before your next turn.",
  access: "team",
  ownTags: true,
  input: () => z.strictObject({}),
  run: async (_, { store, seat, answer }) => {
    let shown = "No new mail.";
    await store.mail.deliver(seat, (letters, left) => {
      shown = delivered(letters, left)
        .map((entry) => (entry.kind === "heard" ? entry.text : ""))
        .join("\n");
      return [answer(shown)];
    });
    return shown;
  },
});
