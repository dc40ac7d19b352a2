/** `ekiden run` and `resume` on a terminal: the same screen, until the run ends and its summary is left on the normal one. */
import { messageOf } from "../../core/errors.ts";
import type { Event } from "../../core/event.ts";
import { LEAD } from "../../core/ids.ts";
import type { TeamHost } from "../../host/team-host.ts";
import type { Invocation } from "../kit/invocation.ts";
import { clean } from "../kit/terminal.ts";
import { offered, runLine } from "./commands.ts";
import { safe } from "./draw/style.ts";
import { PersonShell } from "./editor/person-shell.ts";
import { Screen } from "./screen.ts";
import { Steering } from "./steering.ts";
import type { TeamModel } from "./story/team.ts";
import { Live } from "./watch.ts";

export class RunScreen {
  readonly asks = true;
  private readonly live: Live;
  private readonly screen: Screen;
  private readonly steering = new Steering(new PersonShell());
  private readonly call: Invocation;
  private host: TeamHost | null = null;
  private team: TeamModel | null = null;
  private isStopped = false;
  private taking: Promise<void> = Promise.resolve();

  constructor(call: Invocation) {
    this.call = call;
    this.screen = new Screen({
      call,
      commands: offered(),
      handlers: {
        stopKey: "ctrl+c stops",
        submit: (line, to) => this.submit(line, to),
        interrupt: (who) => {
          if (this.steering.interrupt(who, this.screen)) return true;
          if (who === LEAD) this.screen.note("ctrl+c stops the run and keeps its state");
          return false;
        },
        // To the whole process group, as the terminal itself would send it.
        ctrlC: () => {
          if (!this.screen.editor.clear()) process.kill(0, "SIGINT");
          else this.screen.note("up brings the line back; ctrl+c again stops the run");
        },
        leave: () => this.screen.note("ctrl+c stops the run and keeps its state"),
        mode: this.steering.mode,
        nextMode: this.steering.nextMode,
      },
    });
    this.live = new Live(this.screen);
  }

  get told(): Live["told"] {
    return this.live.told;
  }

  async open(host: TeamHost): Promise<void> {
    this.screen.calls.how = (await this.call.settings()).notify;
    this.team = await this.live.open(host.store);
    this.host = host;
    this.steering.open(host, this.team);
  }

  /** In order; the run does not wait for its screen. */
  take(events: readonly Event[]): void {
    this.taking = this.taking
      .then(() => this.live.take(events))
      .catch((error: unknown) => this.screen.warn(messageOf(error)));
  }

  say(text: string): void {
    if (this.isStopped) this.call.err.write(`${clean(text)}\n`);
    else this.screen.say(safe(text));
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    void this.steering.shell.close();
    await this.screen.close();
  }

  private submit(line: string, to: Parameters<typeof runLine>[2]): void {
    const { host, team, call, screen } = this;
    const { shell } = this.steering;
    if (!host || !team) screen.note("the team is not open yet");
    else void runLine({ host, team, call, screen, shell, quit: () => process.kill(0, "SIGINT") }, line, to);
  }
}
