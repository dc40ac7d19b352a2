/** The look of a member, everywhere the same: its full name, and a colour that depends on nothing but its name. */

import type { Member } from "../board/member.ts";
import type { Name } from "../ids.ts";
import { hashOf } from "../text/hash.ts";

/** Colours that can be told apart on a light and on a dark background; each medium has its own shade of them. */
export const COLOURS = ["blue", "green", "magenta", "cyan", "yellow", "red"] as const;
export type Colour = (typeof COLOURS)[number];

/** The same on every machine and in every face. */
export function colourOf(name: Name): Colour {
  return COLOURS[hashOf(name) % COLOURS.length] ?? "blue";
}

/** The number of teammates that are listed by name. */
export const LISTED = 20;

/**
 * "Others: bob (tester), carol." "" when there is nobody but the lead.
 * @param first the first `LISTED + 1` teammates of `total`, among which `self` may be
 */
export function membersLine(
  first: readonly Pick<Member, "name" | "role">[],
  total: number,
  self: Name,
): string {
  const shown = first
    .filter(({ name }) => name !== self)
    .slice(0, LISTED)
    .map(({ name, role }) => `${name}${role && ` (${role})`}`);
  if (shown.length === 0) return "";
  const more = total - 1 > shown.length ? ` and ${total - 1 - shown.length} more` : "";
  return `Others: ${shown.join(", ")}${more}.`;
}
