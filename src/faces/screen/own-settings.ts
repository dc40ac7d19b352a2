/**
 * The person's own choice of how the full screen looks and which keys it has: `terminal.json` next to the settings. No project can
 * set it. Its faults are reported, and the rest counts.
 */
import { join } from "node:path";
import { readRegular, replaceOwnFile } from "../../adapters/small-files.ts";
import { badInput, messageOf } from "../../core/errors.ts";
import { quote } from "../../core/ids.ts";
import { didYouMean } from "../../core/text/nearest.ts";
import { userFolder } from "../../project/own-folders.ts";
import { THEMES, type ThemeName } from "./draw/theme.ts";
import { bindKeys } from "./keys.ts";
import { THOUGHTS, type Thoughts } from "./story/thoughts.ts";

export type OwnSettings = {
  readonly theme: ThemeName;
  readonly thoughts: Thoughts;
  /** The story stays behind on the normal screen, in the scrollback of the terminal. */
  readonly scrollback: boolean;
};

const FIELDS = ["theme", "keys", "thoughts", "scrollback"] as const;
/** Fields that older versions had: the reason and the replacement. */
const GONE: Readonly<Record<string, string>> = {
  vim: "the screen has no vim keys any more. Ctrl-G opens what you type in $VISUAL or $EDITOR",
  statusLine: "the screen shows no line of a command any more. Show it in your shell or in tmux",
};
const FILE_MAX = 64 * 1024;

export const ownSettingsFile = (): string => join(userFolder(), "terminal.json");

/** Binds the keys of the file, and returns the rest of it, with a sentence for each fault. */
export function applyOwnSettings(): { readonly settings: OwnSettings; readonly faults: readonly string[] } {
  const faults: string[] = [];
  const { theme = "terminal", keys = {}, thoughts = "folded", scrollback = false, ...more } = read(faults);
  for (const name of Object.keys(more))
    faults.push(
      Object.hasOwn(GONE, name)
        ? `take ${quote(name)} out of the file: ${GONE[name]}`
        : `there is no ${quote(name)}.${didYouMean(name, FIELDS)} It has ${FIELDS.join(", ")}`,
    );
  const isTheme = typeof theme === "string" && Object.hasOwn(THEMES, theme);
  if (!isTheme) faults.push(`theme must be one of ${Object.keys(THEMES).join(", ")}, not ${shown(theme)}`);
  const isThoughts = (THOUGHTS as readonly unknown[]).includes(thoughts);
  if (!isThoughts) faults.push(`thoughts must be one of ${THOUGHTS.join(", ")}, not ${shown(thoughts)}`);
  if (typeof scrollback !== "boolean")
    faults.push(`scrollback must be true or false, not ${shown(scrollback)}`);
  faults.push(...bindKeys(keys));
  return {
    settings: {
      theme: isTheme ? (theme as ThemeName) : "terminal",
      thoughts: isThoughts ? (thoughts as Thoughts) : "folded",
      scrollback: scrollback === true,
    },
    faults: faults.map((fault) => `${ownSettingsFile()}: ${fault}`),
  };
}

/** @throws EkidenError `bad_input` where the file cannot be read as it is: nothing of it may be lost */
export function keepOwn(chosen: { readonly theme?: string; readonly thoughts?: string }): void {
  const faults: string[] = [];
  const before = read(faults);
  if (faults[0] !== undefined)
    throw badInput(`it applies until you leave: ${ownSettingsFile()}: ${faults[0]}`);
  replaceOwnFile(ownSettingsFile(), `${JSON.stringify({ ...before, ...chosen }, null, 2)}\n`);
}

function read(faults: string[]): Readonly<Record<string, unknown>> {
  try {
    const data: unknown = JSON.parse(readRegular(ownSettingsFile(), FILE_MAX));
    if (typeof data === "object" && data !== null && !Array.isArray(data))
      return data as Record<string, unknown>;
    faults.push(`it must be an object such as { "theme": "light" }`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT")
      faults.push(`it is not used: ${messageOf(error)}`);
  }
  return {};
}

const shown = (value: unknown): string => String(JSON.stringify(value)).slice(0, 60);
