/** The colours of members on this screen, in the order in which they joined: few are alike, and none is that of a fault or of what waits. */
import type { Name } from "../../../core/ids.ts";
import type { Colour } from "../../../core/views/identity.ts";

const COLOURS = ["blue", "green", "magenta", "cyan"] as const satisfies readonly Colour[];
const given = new Map<Name, Colour>();

/** A member that was not seen before gets the next one. */
export function colourOf(name: Name): Colour {
  const colour = given.get(name) ?? COLOURS[given.size % COLOURS.length] ?? "blue";
  given.set(name, colour);
  return colour;
}
