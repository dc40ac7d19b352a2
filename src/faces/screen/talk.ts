/** `ekiden` on a terminal: the conversation with the lead on the full screen. */
import { LEAD } from "../../core/ids.ts";
import { countsOf } from "../../core/picture/looks.ts";
import { counted, money, span, tokens } from "../../core/views/view.ts";
import type { AttachedHost } from "../../host/attach/attached-host.ts";
import type { Outcome } from "../../host/outcome.ts";
import { rememberTeam } from "../../project/known-teams.ts";
import { refuseMember } from "../../project/member-shell.ts";
import { modelsHere } from "../../project/models-here.ts";
import { makeProjectFolder } from "../../project/project-folder.ts";
import { liveReader } from "../../team/queries/live.ts";
import { againLine } from "../kit/again-line.ts";
import { exitCodeOf } from "../kit/exit-code.ts";
import type { Invocation } from "../kit/invocation.ts";
import { opening } from "../kit/opening.ts";
import { keepYoungSmall, START_MS } from "../kit/run-guards.ts";
import { clean, FAREWELL } from "../kit/terminal.ts";
import type { FirstModel } from "./ask/first-model.ts";
import { attachWithModel } from "./attaching.ts";
import { offered, runLine } from "./commands.ts";
import { greeting } from "./draw/first-frame.ts";
import { safe, wrapped } from "./draw/style.ts";
import { PersonShell } from "./editor/person-shell.ts";
import { keyHint } from "./keys.ts";
import { given } from "./reach-team.ts";
import { Screen } from "./screen.ts";
import { Steering } from "./steering.ts";
import type { TeamModel } from "./story/team.ts";
import type { Live } from "./watch.ts";

/** Resolves with the exit code. */
export async function talk(call: Invocation): Promise<number | undefined> {
  let next: Invocation | null = call;
  let code: number | undefined;
  while (next) ({ next, code } = await talkOnce(next));
  return code;
}

/** `next`: the person has chosen another model, with which the team starts again. */
async function talkOnce(call: Invocation): Promise<{ code?: number | undefined; next: Invocation | null }> {
  // The picture comes first: everything that takes time is loaded behind it.
  const session = new Session(call);
  const { screen } = session;
  call.onScreen({ leave: screen.leave, enter: screen.enterAgain, say: (text) => screen.say(text) });
  // When this process ends, the team works on. Ctrl-C in an editor of the person reaches the whole process group: it ends nothing here.
  const hangUp = (signal?: unknown): void => {
    if (signal !== "SIGINT" || !screen.tools.isAway) session.detach(130);
  };
  for (const signal of SIGNALS) process.on(signal, hangUp);
  for (const stream of [process.stdin, process.stdout]) stream.on("error", hangUp);
  let host: AttachedHost | undefined;
  try {
    refuseMember(call.env, "The conversation is for a person, not for a command of a member.");
    const { Live } = await import("./watch.ts");
    const settings = await call.settings();
    await call.trust(); // the person can only be asked here
    makeProjectFolder(call.cwd);
    rememberTeam(call.cwd, settings);
    screen.calls.how = settings.notify;
    const live = new Live(screen);
    const attaching = attachWithModel(call, live, screen, session.gone);
    // A team that does not answer keeps nobody who wants to leave.
    host = await Promise.race([attaching, session.over.then(() => undefined)]);
    if (host) return { code: await session.run(host, live), next: session.next };
    attaching.then(
      (late) => late.close(),
      () => {},
    );
    return { code: await session.over, next: null };
  } finally {
    await screen.close();
    await session.shell.close();
    await host?.close();
    if (!session.next) session.farewell();
    for (const signal of SIGNALS) process.off(signal, hangUp);
  }
}

const SIGNALS = ["SIGTERM", "SIGHUP", "SIGINT"] as const;

/** "permissionMode" as one types it. */
const optionOf = (name: string): string =>
  `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

const FAILED_NAMED = 9;

/** "1 of 3 tasks completed, 1 failed: #2 · 12k tokens · $0.12 · 4 min at this terminal" */
function summaryLine({ picture }: TeamModel, ms: number): string {
  const { total, completed } = countsOf(picture);
  const failed = [...picture.tasks.values()].flatMap(({ id, status }) =>
    status === "failed" ? [`#${id}`] : [],
  );
  const which =
    failed.length > 0 ? `, ${failed.length} failed: ${failed.slice(0, FAILED_NAMED).join(" ")}` : "";
  const tasks = total === 0 ? [] : [`${completed} of ${total} tasks completed${which}`];
  const { spent } = picture;
  const used =
    spent.tokens === 0
      ? []
      : [`${tokens(spent.tokens)} tokens`, ...(spent.usd > 0 ? [money(spent.usd)] : [])];
  return [...tasks, ...used, `${span(ms)} at this terminal`].join(" · ");
}

class Session {
  readonly screen: Screen;
  private readonly call: Invocation;
  readonly over: Promise<number | undefined>;
  private readonly steering = new Steering(new PersonShell());
  readonly shell = this.steering.shell;
  private end: (code: number | undefined) => void = () => {};
  private host: AttachedHost | null = null;
  private team: TeamModel | null = null;
  private outcome: Outcome | null = null;
  /** Lines that were sent before the team was open. */
  private readonly early: Parameters<Session["submit"]>[] = [];
  private readonly began = Date.now();
  private hasEnded = false;
  /** With another model. */
  next: Invocation | null = null;
  private left = false;
  /** The person wants the team to stop, and not only to leave it. */
  private stops = false;
  /** The process that the team was left to; null where nobody works, or the team was stopped. */
  private leftTo: number | null = null;
  private readonly leaving = new AbortController();
  /** Aborts when this face leaves. */
  readonly gone = this.leaving.signal;

  constructor(call: Invocation) {
    this.call = call;
    this.over = new Promise((resolve) => {
      this.end = resolve;
    });
    this.screen = new Screen({
      call,
      commands: offered(),
      models: async () => modelsHere(await call.settings(), this.host?.models.values()),
      greeting: greeting(call.cwd),
      handlers: {
        stopKey: "esc interrupts",
        submit: (...line) => this.submit(...line),
        interrupt: (who) => this.steering.interrupt(who, this.screen),
        ctrlC: () => this.ctrlC(),
        leave: () => this.ctrlD(),
        mode: this.steering.mode,
        isUsedUp: this.steering.isUsedUp,
        nextMode: this.steering.nextMode,
      },
    });
  }

  async run(host: AttachedHost, live: Live): Promise<number | undefined> {
    const { screen, call } = this;
    const reading = new AbortController();
    void host.done.then((outcome) => {
      this.outcome = outcome;
      this.quit(exitCodeOf(outcome));
    });
    const team = live.opened;
    this.host = host;
    this.team = team;
    this.steering.open(host, team);
    const reader = live.follow(reading.signal);
    const others = live.hearOthers(
      host.store,
      liveReader(await call.settings(), call.cwd),
      reading.signal,
      host,
    );
    try {
      await host.start();
      setTimeout(() => void keepYoungSmall(), START_MS).unref();
      this.nameIdle(host.about.flags);
      const hint = `Type what you want. ${keyHint("help", "shows the keys")}`;
      void opening(host, call.cwd, "/budget").then(
        (lines) => screen.say(screen.style.paint("dim", safe([...lines, hint].join("\n")))),
        () => {},
      );
      for (const line of this.early.splice(0)) this.submit(...line);
      return await this.over;
    } finally {
      if (!this.outcome && this.stops) {
        screen.note("leaving …");
        await host.interrupt();
      }
      // One that was to stop, and has no outcome, has another terminal.
      const isBusy = this.steering.atWork > 0 || screen.questions.count > 0 || host.about.isRun;
      if (!this.outcome && (this.stops || isBusy)) this.leftTo = host.about.pid;
      reading.abort();
      await Promise.all([reader, others]);
    }
  }

  /** Leaves, and stops the team unless another terminal looks on. */
  quit(code: number | undefined): void {
    if (!this.hasEnded) this.stops = this.outcome === null;
    this.detach(code);
  }

  private readonly restart = (model: FirstModel): void => {
    const { words = given(), env } = this.call;
    const [option = "", value] = model.words;
    const flags = { ...this.call.flags, [option.slice("--".length)]: value };
    this.next = { ...this.call, flags, env: { ...env, ...model.env }, words: [...words, ...model.words] };
    this.quit(undefined);
  };

  /** Leaves the team as it is. */
  detach(code?: number): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.left = this.outcome === null;
    this.end(code);
    this.leaving.abort();
  }

  /** On the normal screen, when the full one is gone. */
  farewell(): void {
    const { call, outcome, leftTo, host } = this;
    if (this.team) call.say(summaryLine(this.team, Date.now() - this.began));
    if (outcome?.error) {
      call.err.write(`ekiden: ${clean(outcome.error.message)}\n`);
      if (host) call.say(`To continue: ${againLine(call, host.store.team, "resume")}.`);
    } else if (outcome && host?.about.isRun)
      call.say(`The run has ended. Its last words: ${againLine(call, host.store.team, "inbox person")}`);
    if (leftTo === null || !host) {
      // No line in it is one to copy, so it may be broken.
      if (this.left) call.say(call.err.isTTY ? wrapped(FAREWELL, call.err.width()).join("\n") : FAREWELL);
      return;
    }
    const line = (words: string): string => againLine(call, host.store.team, words);
    const others = this.stops && !host.about.isRun ? "Another terminal looks on, so the" : "The";
    call.say(
      `${others} team works on in process ${leftTo}. To come back: ${line("")}. To end it: ${line("stop")}.`,
    );
  }

  /** A team that was at work already does not change by the options of another command line. */
  private nameIdle(flags: Readonly<Record<string, unknown>>): void {
    const idle = Object.entries(this.call.flags).filter(
      ([name, value]) => JSON.stringify(flags[name]) !== JSON.stringify(value),
    );
    if (idle.length > 0)
      this.screen.warn(
        `This team is already running, so ${idle.map(([name]) => optionOf(name)).join(", ")} ${idle.length === 1 ? "was" : "were"} ignored. /model, /mode, /effort and /budget change it now; after /quit the next start uses them.`,
      );
  }

  private submit(line: string, to: Parameters<typeof runLine>[2]): void {
    const { host, team, call, screen, shell } = this;
    if (!host || !team) {
      this.early.push([line, to]);
      screen.note("your line is sent as soon as the team is open");
      return;
    }
    const [quit, detach] = [() => this.quit(undefined), () => this.detach()];
    void runLine({ host, team, call, screen, shell, quit, detach, restart: this.restart }, line, to);
  }

  /** A line that is being typed goes first; a team is stopped only by a second press, with no other key between them. */
  private ctrlC(): void {
    const { screen, steering } = this;
    if (!screen.notice.asksFor("interrupt") && steering.interrupt(LEAD, screen)) {
      if (screen.editor.isEmpty) screen.notice.again("interrupt", `lead stopped · ${this.stopWords}`);
    } else if (screen.editor.clear()) screen.note("up brings the line back");
    else if (screen.notice.again("interrupt", this.stopWords)) this.quit(130);
    screen.changed();
  }

  /** What the second Ctrl-C does. */
  private get stopWords(): string {
    const { host } = this;
    if (!host) return "ctrl+c again leaves";
    if (host.about.isRun) return "ctrl+c again leaves; the run continues";
    const leave = keyHint("leave", "leaves");
    const { words, atWork } = this;
    return atWork === 0
      ? "ctrl+c again stops the team and leaves; nothing is lost"
      : `${words}: ctrl+c again STOPS the team${leave && ` · ${leave} ${atWork === 1 ? "it" : "them"} at work`}`;
  }

  private get atWork(): number {
    return this.steering.atWork;
  }

  private get words(): string {
    return `${counted(this.atWork, "member")} ${this.atWork === 1 ? "works" : "work"}`;
  }

  private ctrlD(): void {
    const { atWork, screen } = this;
    const words = `${this.words}: ctrl+d again leaves ${atWork === 1 ? "it" : "them"} at work · /quit stops the team`;
    // A run has a terminal, or a process, of its own.
    if (atWork === 0 || this.host?.about.isRun || screen.notice.again("leave", words)) this.detach();
    screen.changed();
  }
}
