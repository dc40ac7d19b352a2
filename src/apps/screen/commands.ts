/** What a line of the editor does: `!` runs a command of the person, `/` a command, anything else goes to a member. */
import { spawn } from "node:child_process";
import { withImages } from "../../core/conversation/image.ts";
import { EkidenError, messageOf } from "../../core/errors.ts";
import { LEAD, type Name, name, PERSON } from "../../core/ids.ts";
import { checkText } from "../../core/mail.ts";
import { attachedTo, sendMail } from "../actions/mail.ts";
import type { TeamHost } from "../host/team-host.ts";
import type { Invocation } from "../invocation.ts";
import { mustExist } from "../queries/team.ts";
import { isCommand, type OwnCommands, offeredCommands, printingTo, slash } from "../repl/slash.ts";
import type { Offered } from "./completion.ts";
import { PANEL_NAMES, type PanelName } from "./panels/panel.ts";
import type { Screen } from "./screen.ts";
import { exact, safe } from "./style.ts";
import type { TeamModel } from "./team.ts";

/** Lines of the output of a `!` command that stay on the screen. */
const SHELL_LINES = 200;
/** What the border and the marks of the feed take. */
const MARGIN = 2;

export type Place = {
  readonly call: Invocation;
  readonly host: TeamHost;
  readonly screen: Screen;
  readonly team: TeamModel;
  readonly quit: () => void;
};

/** Commands that need the screen itself. */
export const SCREEN_COMMANDS: OwnCommands<Pick<Place, "screen" | "host">> = {
  to: {
    usage: "/to NAME",
    about: "look at a teammate at work; what you type goes to it, esc returns to the lead",
    run: async ({ host, screen }, [who = LEAD]) => {
      const target = name(who);
      await mustExist(host.store, target);
      screen.enter(target);
    },
  },
  panel: {
    usage: "/panel [NAME]",
    about: `open a panel: ${PANEL_NAMES.join(", ")} (f2 to f5); without a name, close it`,
    run: async ({ screen }, [which]) => {
      if (which !== undefined && !PANEL_NAMES.includes(which as PanelName))
        throw new EkidenError(
          "bad_input",
          `there is no panel "${which}". Panels: ${PANEL_NAMES.join(", ")}.`,
        );
      screen.open((which as PanelName | undefined) ?? null);
    },
  },
};

/** What `/help` says besides the commands. */
const OTHER_LINES = [
  { usage: "!command", about: "runs in your own shell; its output is only shown" },
  { usage: "@path", about: "names a file, with a menu; an image is sent" },
  {
    usage: "keys",
    about:
      "ctrl+j new line · ctrl+r search the history · ctrl+n next member · ctrl+t panels · ctrl+o calls in full · pgup, pgdn scroll",
  },
];

/** For the menu of the editor. */
export const offered = (): Offered[] => [
  ...offeredCommands(),
  ...Object.entries(SCREEN_COMMANDS).map(([name, { about }]) => ({ name, about })),
];

/** Never rejects: what goes wrong is said in the feed, and the line is back in the history. */
export async function runLine(place: Place, line: string, to: Name): Promise<void> {
  const { screen, host, team, call, quit } = place;
  const text = line.trim();
  try {
    if (text.startsWith("!")) return await runShell(place, text.slice(1).trim());
    if (isCommand(text)) {
      return await slash(
        {
          host,
          call: commandCall(place),
          quit,
          more: [...Object.values(SCREEN_COMMANDS), ...OTHER_LINES],
          own: ownOf(place),
        },
        text,
      );
    }
    const images = await attachedTo(checkText(line), call.cwd).catch((error: unknown) => {
      screen.giveBack(line);
      throw error;
    });
    team.story(to).echo(withImages(line, images));
    screen.changed();
    if (to === LEAD) await host.tellLead(line, images);
    else
      await sendMail(
        host.store,
        PERSON,
        { to, text: line, images },
        { settings: await call.settings(), cwd: call.cwd },
      );
  } catch (error) {
    screen.warn(messageOf(error));
  }
}

const ownOf =
  (place: Place) =>
  (word: string): ((args: readonly string[]) => Promise<void>) | undefined => {
    const own = Object.hasOwn(SCREEN_COMMANDS, word) ? SCREEN_COMMANDS[word] : undefined;
    return own && ((args) => own.run(place, args));
  };

/** For slash commands: they print into the feed and work on this team. */
const commandCall = ({ call, screen, host }: Place): Invocation =>
  printingTo(call, host.store, {
    ...call.out,
    width: () => (process.stdout.columns || 80) - MARGIN,
    write: (text) => screen.say(text),
  });

/** In the person's own shell, with the person's rights; only shown. */
function runShell({ call, screen }: Place, command: string): Promise<void> {
  const { paint } = screen.style;
  if (command === "")
    throw new EkidenError("bad_input", "! runs a command of your shell, such as: !git status");
  return new Promise((resolve) => {
    const child = spawn(call.env.SHELL || "/bin/sh", ["-c", command], {
      cwd: call.cwd,
      env: call.env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => {
        output = (output + chunk.toString("utf8")).slice(-100_000);
      });
    const end = (how: string): void => {
      const all = safe(output).trimEnd().split("\n");
      const left = all.length > SHELL_LINES ? [`… ${all.length - SHELL_LINES} earlier lines`] : [];
      const shown = [...left, ...all.slice(-SHELL_LINES)].map((line) => `  ${line}`).join("\n");
      screen.say(
        `${paint("warn", "!")} ${paint("strong", exact(command))}\n${shown}${how === "" ? "" : `\n  ${paint("bad", how)}`}`,
      );
      resolve();
    };
    child.once("error", (error) => end(error.message));
    child.once("close", (code, signal) =>
      end(code === 0 ? "" : signal ? `ended by ${signal}` : `exit code ${code}`),
    );
  });
}
