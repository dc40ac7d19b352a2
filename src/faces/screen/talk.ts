/** `ekiden` on a terminal: the conversation with the lead on the full screen. */
import { LEAD } from "../../core/ids.ts";
import type { Mode } from "../../core/permission/mode.ts";
import type { Outcome } from "../../host/outcome.ts";
import type { TeamHost } from "../../host/team-host.ts";
import { rememberTeam } from "../../project/known-teams.ts";
import { makeProjectFolder } from "../../project/project-folder.ts";
import { liveReader } from "../../team/queries/live.ts";
import type { Invocation } from "../invocation.ts";
import { opening } from "../opening.ts";
import { RAISE } from "../repl/budget.ts";
import { clean, FAREWELL } from "../terminal/terminal.ts";
import { offered, runLine } from "./commands.ts";
import { greeting } from "./first-frame.ts";
import { PersonShell } from "./person-shell.ts";
import { Screen } from "./screen.ts";
import { Steering } from "./steering.ts";
import { safe } from "./style.ts";
import type { TeamModel } from "./team.ts";
import type { Live } from "./watch.ts";

/** A second Ctrl-C within this time leaves. */
const TWICE_MS = 2_000;

/** Resolves with the exit code. */
export async function talk(call: Invocation): Promise<number | undefined> {
  // The picture comes first: everything that takes time is loaded behind it.
  const session = new Session(call);
  const { screen } = session;
  call.onScreen({ leave: screen.leave, enter: screen.enterAgain, say: (text) => screen.say(text) });
  const stop = (): void => session.quit(130);
  // The terminal is gone: that is no word about the work.
  const hangUp = (): void => session.detach(130);
  process.on("SIGTERM", stop).on("SIGHUP", hangUp).on("SIGINT", stop);
  for (const stream of [process.stdin, process.stdout]) stream.on("error", hangUp);
  let host: TeamHost | undefined;
  try {
    const [{ openHost }, { Live }] = await Promise.all([import("../../host/host.ts"), import("./watch.ts")]);
    const settings = await call.settings();
    const trust = await call.trust();
    makeProjectFolder(call.cwd);
    rememberTeam(call.cwd, settings);
    screen.calls.how = settings.notify;
    const live = new Live(screen);
    const hosting = openHost({
      settings,
      cwd: call.cwd,
      env: call.env,
      interactive: true,
      trust,
      asks: true,
      ...live.told,
      onNotice: (text) => screen.warn(text),
      onUsedUp: (text) => screen.warn(`${text} ${RAISE}`),
    });
    // A store that does not answer keeps nobody who wants to leave; a host that opens later is closed.
    host = await Promise.race([hosting, session.over.then(() => undefined)]);
    if (host) return await session.run(host, live);
    hosting.then(
      (late) => late.close(),
      () => {},
    );
    return await session.over;
  } finally {
    screen.close();
    process.off("SIGTERM", stop).off("SIGINT", stop);
    await session.shell.close();
    await host?.close();
    await session.farewell();
    process.off("SIGHUP", hangUp);
  }
}

class Session {
  readonly screen: Screen;
  private readonly call: Invocation;
  readonly over: Promise<number | undefined>;
  private readonly steering = new Steering(new PersonShell());
  readonly shell = this.steering.shell;
  private end: (code: number | undefined) => void = () => {};
  private host: TeamHost | null = null;
  private team: TeamModel | null = null;
  private outcome: Outcome | null = null;
  /** Lines that were sent before the team was open. */
  private readonly early: Parameters<Session["submit"]>[] = [];
  /** When the keys were pressed that leave at the second time. */
  private readonly pressed = { ctrlC: 0, ctrlD: 0 };
  private hasEnded = false;
  private left = false;
  /** The mode that the team goes on with, without this terminal; null where it stops. */
  private goesOn: Mode | null = null;

  constructor(call: Invocation) {
    this.call = call;
    this.over = new Promise((resolve) => {
      this.end = resolve;
    });
    this.screen = new Screen({
      call,
      commands: offered(),
      models: async () => (await this.host?.offeredModels()) ?? [],
      greeting: greeting(call.cwd),
      handlers: {
        stopKey: "esc interrupts",
        submit: (...line) => this.submit(...line),
        interrupt: (who) => this.steering.interrupt(who, this.screen),
        ctrlC: () => this.ctrlC(),
        leave: () => this.ctrlD(),
        mode: this.steering.mode,
        nextMode: this.steering.nextMode,
      },
    });
  }

  async run(host: TeamHost, live: Live): Promise<number | undefined> {
    const { screen, call } = this;
    const reading = new AbortController();
    const { exitCodeOf } = await import("../run-team.ts");
    void host.done.then((outcome) => {
      this.outcome = outcome;
      this.quit(exitCodeOf(outcome));
    });
    const team = await live.open(host.store);
    this.host = host;
    this.team = team;
    this.steering.open(host, team);
    const reader = live.follow(reading.signal);
    const others = live.hearOthers(host, liveReader(await call.settings(), call.cwd), reading.signal);
    try {
      await host.start({ interactive: true });
      const hint = "What you type goes to the lead; /help shows what else there is.";
      void opening(host, call.cwd).then(
        (lines) => screen.say(screen.style.paint("dim", safe([...lines, hint].join("\n")))),
        () => {},
      );
      for (const line of this.early.splice(0)) this.submit(...line);
      return await this.over;
    } finally {
      if (!this.outcome) {
        screen.note("leaving …");
        await host.interrupt();
      }
      reading.abort();
      await Promise.all([reader, others]);
    }
  }

  quit(code: number | undefined): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.left = this.outcome === null;
    this.end(code);
  }

  /** Leaves; members of this process that work go on without it. */
  detach(code?: number): void {
    if (!this.hasEnded && this.steering.atWork > 0) this.goesOn = this.steering.mode();
    this.quit(code);
  }

  /** On the normal screen, when the full one is gone. */
  async farewell(): Promise<void> {
    const { call, outcome, goesOn } = this;
    if (outcome?.error) call.err.write(`ekiden: ${clean(outcome.error.message)}\n`);
    if (goesOn !== null && this.left) await (await import("../detach.ts")).goOn(call, goesOn);
    else if (this.left) call.say(FAREWELL);
  }

  private submit(line: string, to: Parameters<typeof runLine>[2]): void {
    const { host, team, call, screen, shell } = this;
    if (!host || !team) {
      this.early.push([line, to]);
      screen.note("your line is sent as soon as the team is open");
      return;
    }
    const [quit, detach] = [() => this.quit(undefined), () => this.detach()];
    void runLine({ host, team, call, screen, shell, quit, detach }, line, to);
  }

  private isSecond(key: keyof Session["pressed"]): boolean {
    const before = this.pressed[key];
    this.pressed[key] = Date.now();
    return this.pressed[key] - before < TWICE_MS;
  }

  private ctrlC(): void {
    if (this.isSecond("ctrlC")) this.quit(130);
    else if (!this.steering.interrupt(LEAD, this.screen))
      this.screen.note(
        this.screen.clearLine()
          ? "up brings the line back; ctrl+c again leaves"
          : "ctrl+c again leaves (the team's state is kept), or /quit",
      );
  }

  private ctrlD(): void {
    const { atWork } = this.steering;
    if (atWork === 0 || this.isSecond("ctrlD")) this.detach();
    else
      this.screen.note(
        `${atWork === 1 ? "a member works" : `${atWork} members work`}: ctrl+d again leaves the team at work, /quit stops it`,
      );
  }
}
