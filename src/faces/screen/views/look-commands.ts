/** `/theme` and `/keys`: how the full screen looks, and which keys it has. */
import { homedir } from "node:os";
import { badInput } from "../../../core/errors.ts";
import { quote } from "../../../core/ids.ts";
import { fromHome } from "../../../core/paths/paths.ts";
import { didYouMean } from "../../../core/text/nearest.ts";
import type { OwnCommands } from "../../commands/slash/context.ts";
import { wrapped } from "../draw/style.ts";
import { THEMES, type ThemeName } from "../draw/theme.ts";
import { boundKeys } from "../keys.ts";
import { keepOwn, ownSettingsFile } from "../own-settings.ts";
import type { Place } from "../place.ts";
import { fixed } from "../story/blocks.ts";
import type { Look } from "../story/feed.ts";
import { showThoughts, THOUGHTS, type Thoughts, thoughtsShown } from "../story/thoughts.ts";

export const LOOK_COMMANDS: OwnCommands<Place> = {
  theme: {
    usage: "/theme [NAME]",
    about: `the colours: ${Object.keys(THEMES).join(", ")}; kept for every project`,
    run: async (place, [wanted]) => {
      if (wanted === undefined) return await chooseTheme(place);
      if (!Object.hasOwn(THEMES, wanted))
        throw badInput(
          `there is no theme ${quote(wanted)}.${didYouMean(wanted, Object.keys(THEMES))} Themes: ${Object.keys(THEMES).join(", ")}.`,
        );
      place.screen.tools.useTheme(wanted as ThemeName);
      keepOwn({ theme: wanted });
      place.screen.note(`theme ${wanted}: ${THEMES[wanted as ThemeName]}`);
    },
  },
  thoughts: {
    usage: "/thoughts [HOW]",
    about: `the thoughts of members: ${THOUGHTS.join(", ")}; kept for every project`,
    run: async ({ screen }, [wanted = thoughtsShown() === "hidden" ? "folded" : "hidden"]) => {
      if (!(THOUGHTS as readonly string[]).includes(wanted))
        throw badInput(
          `thoughts are ${THOUGHTS.join(", ")}, not ${quote(wanted)}.${didYouMean(wanted, THOUGHTS)}`,
        );
      showThoughts(wanted as Thoughts);
      keepOwn({ thoughts: wanted });
      screen.note(`thoughts are ${wanted}`);
    },
  },
  keys: {
    usage: "/keys",
    about: "all keys of the screen with their actions, and the file where you choose others",
    run: async ({ screen }) => {
      const { paint } = screen.style;
      const rows = Object.entries(boundKeys());
      const file = fromHome(ownSettingsFile(), homedir());
      const hint = `Keys of your own, by the names of the second column, in ${file}: { "keys": { "panels": "ctrl+p" } }`;
      const lines = ({ width }: Look): string[] => [
        "",
        ...rows.flatMap(([name, { keys, about }]) => {
          const head = `${keys.join(", ").padEnd(12)} ${name.padEnd(14)}`;
          return wrapped(about, width, " ".repeat(head.length + 1)).map((line, i) =>
            i === 0 ? `${paint("busy", head)} ${paint("dim", line.trimStart())}` : paint("dim", line),
          );
        }),
        "",
        ...wrapped(hint, width).map((line) => paint("dim", line)),
      ];
      screen.put(fixed(lines));
    },
  },
};

async function chooseTheme({ screen }: Place): Promise<void> {
  const { ChooseView } = await import("./choose-view.ts");
  const before = screen.tools.theme;
  const view = new ChooseView(
    Object.entries(THEMES).map(([value, about]) => ({ value, about })),
    {
      style: screen.style,
      title: "the colours of the screen",
      current: before,
      chosen: (value) => {
        screen.tools.show(null);
        if (value !== null) screen.submit(`/theme ${value}`);
      },
      changed: () => screen.changed(),
    },
  );
  screen.tools.show(view);
}
