/** How a member is shown, everywhere in the same way: its full name, and a colour that depends on nothing but its name. */
import type { Name } from "../ids.ts";
import type { Member } from "../member.ts";

/** Colours that can be told apart on a light and on a dark background; each medium has its own shade of them. */
export const COLOURS = ["blue", "green", "magenta", "cyan", "yellow", "red"] as const;
export type Colour = (typeof COLOURS)[number];

/** The same on every machine and in every face. */
export function colourOf(name: Name): Colour {
  let hash = 0x811c9dc5;
  for (const character of name) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return COLOURS[(hash >>> 0) % COLOURS.length] ?? "blue";
}

const MOST = 20;

/** "Others: bob (tester), carol." "" when there is nobody but the lead. */
export function membersLine(members: readonly Member[], self: Name): string {
  const others = members.filter(
    ({ name, kind, activity }) => kind === "teammate" && name !== self && activity.phase !== "shutdown",
  );
  if (others.length === 0) return "";
  const shown = others.slice(0, MOST).map(({ name, role }) => `${name}${role && ` (${role})`}`);
  const more = others.length > MOST ? ` and ${others.length - MOST} more` : "";
  return `Other teammates: ${shown.join(", ")}${more}.`;
}
