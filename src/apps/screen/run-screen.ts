/** `ekiden run` and `resume` on a terminal: the same screen, until the run ends and its summary is left on the normal one. */
import { messageOf } from "../../core/errors.ts";
import type { Event } from "../../core/event.ts";
import type { HostOptions, TeamHost } from "../host/team-host.ts";
import type { Invocation } from "../invocation.ts";
import { offeredCommands } from "../repl/slash.ts";
import { runLine, SCREEN_COMMANDS } from "./commands.ts";
import { Screen } from "./screen.ts";
import { safe } from "./style.ts";
import type { TeamModel } from "./team.ts";
import { Live, Watcher } from "./watch.ts";

export class RunScreen {
  private readonly live: Live;
  private readonly screen: Screen;
  private readonly call: Invocation;
  private host: TeamHost | null = null;
  private team: TeamModel | null = null;
  private watcher: Watcher | null = null;
  private taking: Promise<void> = Promise.resolve();

  constructor(call: Invocation) {
    this.call = call;
    const own = Object.entries(SCREEN_COMMANDS).map(([name, { about }]) => ({ name, about }));
    this.screen = new Screen({
      call,
      commands: [...offeredCommands(), ...own],
      handlers: {
        submit: (line, to) => this.submit(line, to),
        interrupt: () => this.screen.note("ctrl+c stops the run and keeps its state"),
        // To the whole process group, as the terminal itself would send it.
        ctrlC: () => process.kill(0, "SIGINT"),
        leave: () => this.screen.note("ctrl+c stops the run and keeps its state"),
      },
    });
    this.live = new Live(this.screen);
  }

  /** What the host tells besides the journal. */
  get told(): Pick<HostOptions, "onDelta" | "onOutput" | "onModel"> {
    const { onDelta, onOutput, onModel } = this.live;
    return { onDelta, onOutput, onModel };
  }

  get ask(): Screen["questions"]["ask"] {
    return this.screen.questions.ask;
  }

  async open(host: TeamHost): Promise<void> {
    this.team = await this.live.open(host.store);
    this.host = host;
    this.watcher = new Watcher(this.screen, this.team, host.store);
    await this.screen.questions.read(host.store, this.team);
  }

  /** In order; the run does not wait for its screen. */
  take(events: readonly Event[]): void {
    this.taking = this.taking
      .then(() => this.watcher?.take(events))
      .catch((error: unknown) => this.screen.warn(messageOf(error)));
  }

  say(text: string): void {
    this.screen.say(safe(text));
  }

  stop(): void {
    this.screen.close();
  }

  private submit(line: string, to: Parameters<typeof runLine>[2]): void {
    const { host, team, call, screen } = this;
    if (!host || !team) screen.note("the team is not open yet");
    else void runLine({ host, team, call, screen, quit: () => process.kill(0, "SIGINT") }, line, to);
  }
}
