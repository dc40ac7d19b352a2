/** The control sequences of a full screen. */

/** The alternate screen, no wheel as arrow keys, no wrapping: a character of unexpected width must not move other lines. */
export const ENTER = "\x1b[?1049h\x1b[?1007l\x1b[?7l\x1b[?25l\x1b[2J";
export const LEAVE = "\x1b[?7h\x1b[?1007h\x1b[?1049l\x1b[?25h";
/** Synchronized output: the terminal shows what is between them at once. */
export const BEGIN = "\x1b[?2026h";
export const END = "\x1b[?2026l";
