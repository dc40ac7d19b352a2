/** The effect of a line of the editor: `!` runs a command of the person, `/` a command, anything else goes to a member. */

import { checkText } from "../../core/board/mail.ts";
import { withImages } from "../../core/conversation/image.ts";
import { badInput, messageOf } from "../../core/errors.ts";
import { LEAD, type MailId, type Name, name, PERSON } from "../../core/ids.ts";
import type { TeamHost } from "../../host/team-host.ts";
import { attachedTo, sendMail } from "../../team/actions/mail.ts";
import { mustExist } from "../../team/queries/team.ts";
import type { OwnCommands } from "../commands/slash/context.ts";
import { isCommand, offeredCommands, printingTo, slash } from "../commands/slash/slash.ts";
import type { Invocation } from "../kit/invocation.ts";
import { lines as viewLines } from "../kit/print.ts";
import type { Terminal } from "../kit/terminal.ts";
import type { Offered } from "./editor/completion.ts";
import { inRow, keyHint } from "./keys.ts";
import { PANEL_NAMES, type PanelName } from "./panels/names.ts";
import type { Place } from "./place.ts";
import { fixed } from "./story/blocks.ts";
import { LOOK_COMMANDS } from "./views/look-commands.ts";
import { openPlan } from "./views/plan-place.ts";
import { chooseModel, openReview, openTask, setModel } from "./views/view-commands.ts";

/** The columns of the border and the marks of the feed. */
const MARGIN = 2;

/** Commands that need the screen itself. */
export const SCREEN_COMMANDS: OwnCommands<Place> = {
  detach: {
    usage: "/detach",
    about: "leave; the members keep working without a terminal; ekiden shows them again",
    run: async ({ detach }) => {
      if (!detach)
        throw badInput("/detach is for ekiden's conversation. Here: ctrl+c, then ekiden resume --detach");
      detach();
    },
  },
  to: {
    usage: "/to [NAME]",
    about:
      "look at a teammate at work; what you type goes to it, esc interrupts it; without a name return to the lead",
    run: async ({ host, screen }, [who = LEAD]) => {
      const target = name(who);
      await mustExist(host.store, target);
      screen.enter(target);
    },
  },
  task: {
    usage: "/task ID",
    about: "one task on the full screen: details, conversation, changes and cost; keys act on it",
    run: async (place, [id]) => await openTask(place, place.host.store, id),
  },
  story: {
    usage: "/story [NAME]",
    about: "show only what concerns one member; without a name everything again (esc)",
    run: async ({ host, screen }, [who]) => {
      if (who !== undefined) await mustExist(host.store, name(who));
      screen.filter(who ?? "");
      if (who === undefined) screen.note("the whole story is shown; /story NAME shows one member's");
    },
  },
  review: {
    usage: "/review [PATH]",
    about: "read the whole change on the full screen, comment on lines, and send the comments to its authors",
    run: async (place, [path]) => await openReview(place, path),
  },
  ...LOOK_COMMANDS,
  find: {
    usage: "/find [WORDS]",
    about: "search the story that is shown, newest first (ctrl+f on an empty line)",
    run: async ({ screen }, words) => screen.tools.find.open(words.join(" ")),
  },
  panel: {
    usage: "/panel [NAME]",
    about: `open a panel: ${PANEL_NAMES.join(", ")} (f2 to f${PANEL_NAMES.length + 1}); without a name, close it`,
    run: async ({ screen }, [which]) => {
      if (which !== undefined && !PANEL_NAMES.includes(which as PanelName))
        throw badInput(`there is no panel "${which}". Panels: ${PANEL_NAMES.join(", ")}.`);
      screen.open((which as PanelName | undefined) ?? null);
    },
  },
};

/** The lines of `/help` besides the commands. */
const otherLines = () => [
  { usage: "!command", about: "runs in your own shell; its output is only shown, esc ends it" },
  { usage: "@path", about: "names a file, with a menu; an image is sent" },
  { usage: "@NAME text", about: "goes to that member; the view stays" },
  {
    usage: "keys",
    about: inRow(
      keyHint("help", "this list, on an empty line"),
      "ctrl+j new line · ctrl+r search the history",
      keyHint("find", "search the story"),
      keyHint("editor", "your editor"),
      keyHint("paste", "paste an image"),
      keyHint("member", "next member"),
      keyHint("close", "interrupts the member that is shown"),
      keyHint("mode", "next permission mode"),
      keyHint("panels", "panels"),
      keyHint("expand", "calls in full"),
      "pgup, pgdn scroll",
    ),
  },
];

/** For the menu of the editor. */
export const offered = (): Offered[] => [
  ...offeredCommands(),
  ...Object.entries(SCREEN_COMMANDS).map(([name, { about }]) => ({ name, about })),
];

/** Never rejects: the feed shows an error, and the line is back in the history. */
export async function runLine(place: Place, line: string, to: Name): Promise<void> {
  const { screen, host, call, quit } = place;
  const text = line.trim();
  try {
    if (text.startsWith("!")) return await place.shell.run(call, screen, text.slice(1).trim());
    if (isCommand(text)) {
      return await slash(
        {
          host,
          call: commandCall(place),
          quit,
          more: [...Object.values(SCREEN_COMMANDS), ...otherLines()],
          own: ownOf(place, !/\s/.test(text)),
          tell: (message) => tell(place, message, { to, typed: line }),
        },
        text,
      );
    }
    const named = await addressed(host, text);
    if (named && named.to !== to) screen.note(`sent to ${named.to}`);
    await tell(place, named?.text ?? line, { to: named?.to ?? to, typed: line });
  } catch (error) {
    screen.warn(messageOf(error));
  }
}

/** Of `@bob text`, where bob is a member; one that has stopped is refused later. A file of that name can be written `@./bob`. */
async function addressed(
  { store }: TeamHost,
  line: string,
): Promise<{ readonly to: Name; readonly text: string } | null> {
  const [, who = "", text = ""] = /^@([\w-]+)\s+(\S.*)$/s.exec(line) ?? [];
  if (who === "") return null;
  const member = (await store.roster.members()).find((one) => one.name === who);
  return member ? { to: member.name, text } : null;
}

async function tell(
  { screen, host, team, call }: Place,
  text: string,
  { to, typed }: { readonly to: Name; readonly typed: string },
): Promise<void> {
  const images = await attachedTo(checkText(text), call.cwd).catch((error: unknown) => {
    screen.giveBack(typed);
    throw error;
  });
  const isBusy = team.picture.members.get(to)?.phase === "work";
  const block = team.story(to).echo(withImages(text, images), isBusy);
  block.typed = text;
  screen.changed();
  const send = async (): Promise<MailId | undefined> => {
    if (to === LEAD) return await host.tellLead(text, images);
    const sender = { settings: await call.settings(), cwd: call.cwd };
    return (await sendMail(host.store, PERSON, { to, text, images }, sender)).data.id;
  };
  try {
    block.mail = (await send()) ?? null;
  } catch (error) {
    team.story(to).drop(block);
    screen.giveBack(typed);
    throw error;
  }
}

const ownOf =
  (place: Place, isAlone: boolean) =>
  (word: string): ((args: readonly string[]) => Promise<void>) | undefined => {
    const own = Object.hasOwn(SCREEN_COMMANDS, word) ? SCREEN_COMMANDS[word] : undefined;
    if (word === "model")
      return (args) => (isAlone ? chooseModel(place) : setModel(place, args, commandCall(place).done));
    if (word === "plan" && isAlone) return () => openPlan(place);
    return own && ((args) => own.run(place, args));
  };

/** For slash commands: they print into the feed and work on this team. */
const commandCall = ({ call, screen, host }: Place): Invocation => {
  const out = (width: () => number): Terminal => ({
    ...call.out,
    ...{ width, paint: screen.style.paint, write: (text) => screen.say(text) },
  });
  return {
    ...printingTo(
      call,
      host.store,
      out(() => (process.stdout.columns || 80) - MARGIN),
    ),
    // Laid out again for each width: a column may come beside the feed.
    show: async (data, views) => {
      const found = views(data);
      screen.put(
        fixed(({ width }) => [
          "",
          ...found.flatMap((view, i) => [
            ...(i > 0 ? [""] : []),
            ...viewLines(
              out(() => width),
              view,
            ),
          ]),
        ]),
      );
    },
  };
};
