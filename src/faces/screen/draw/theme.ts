/** Themes: the colours of each tone. `terminal` has the sixteen colours of the terminal's own; `auto` asks for its background. */
import type { Colour } from "../../../core/views/identity.ts";
import type { Tone } from "../../../core/views/view.ts";
import type { Terminal } from "../../kit/terminal.ts";

/** Numbers of the 256 colours. */
type Colours = Readonly<Record<Exclude<Tone | Colour, "plain" | "strong">, number>>;

const DARK: Colours = {
  ...{ good: 114, busy: 80, warn: 221, bad: 203, dim: 245 },
  ...{ blue: 111, green: 114, magenta: 176, cyan: 80, yellow: 221, red: 203 },
};
const LIGHT: Colours = {
  ...{ good: 28, busy: 25, warn: 94, bad: 124, dim: 242 },
  ...{ blue: 25, green: 28, magenta: 90, cyan: 30, yellow: 94, red: 124 },
};
/** Blue and orange, which every kind of colour-blindness tells apart; readable on light and dark grounds. */
const COLOUR_BLIND: Colours = {
  ...{ good: 32, busy: 67, warn: 136, bad: 166, dim: 244 },
  ...{ blue: 32, green: 67, magenta: 133, cyan: 73, yellow: 136, red: 166 },
};

export type ThemeName = "terminal" | "auto" | "dark" | "light" | "colour-blind";

export const THEMES: Readonly<Record<ThemeName, string>> = {
  terminal: "the sixteen colours of your terminal",
  auto: "light or dark, as the background of your terminal",
  dark: "for a dark background",
  light: "for a light background",
  "colour-blind": "blue and orange instead of green and red",
};

/** Asks the terminal for its background. */
export const ASK_BACKGROUND = "\x1b]11;?\x07";

/** Whether the input is the answer: "light", "dark", or null for anything else. */
export function backgroundIn(data: string): "light" | "dark" | null {
  const [, r, g, b] =
    /^.\]11;rgba?:([\da-f]{2})[\da-f]*\/([\da-f]{2})[\da-f]*\/([\da-f]{2})/is.exec(data) ?? [];
  if (r === undefined || g === undefined || b === undefined) return null;
  const [red, green, blue] = [r, g, b].map((part) => Number.parseInt(part, 16)) as [number, number, number];
  return 0.299 * red + 0.587 * green + 0.114 * blue > 128 ? "light" : "dark";
}

export class Theme {
  private colours: Colours | null = null;
  private name: ThemeName = "terminal";
  private readonly out: Terminal;

  constructor(out: Terminal) {
    this.out = out;
  }

  use(name: ThemeName, background: "light" | "dark" = "dark"): void {
    this.name = name;
    const plain = { dark: DARK, light: LIGHT, "colour-blind": COLOUR_BLIND };
    this.colours = name === "terminal" ? null : plain[name === "auto" ? background : name];
  }

  get current(): ThemeName {
    return this.name;
  }

  readonly paint = (tone: Tone | Colour, text: string): string => {
    if (!this.colours || !this.out.colour || text === "" || tone === "plain" || tone === "strong")
      return this.out.paint(tone, text);
    return `\x1b[38;5;${this.colours[tone]}m${text}\x1b[39m`;
  };
}
