/** Mail between members, and to other teams where the settings allow it. */
import { mayMail } from "../../core/settings.ts";
import { mailTools } from "../../tools/index.ts";
import { sendMessageAcross } from "../../tools/mail.ts";
import type { MakeFeature } from "../setup.ts";

export const mail: MakeFeature = ({ parts: { settings }, profile }) => {
  const across =
    settings.mailAcrossTeams === false ? [] : [sendMessageAcross((team) => mayMail(settings, team))];
  return { tools: () => [...mailTools[profile.kind], ...across] };
};
