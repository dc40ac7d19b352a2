/** Colours a text by its meaning. */
import type { Colour } from "../../../core/views/identity.ts";
import type { Tone } from "../../../core/views/view.ts";

export type Paint = (tone: Tone | Colour, text: string) => string;
