/** The keys that steer the team of this process, in a conversation and in a run. */
import { messageOf } from "../../core/errors.ts";
import { LEAD, type Name } from "../../core/ids.ts";
import { commandWords, MODE_WORDS, type Mode } from "../../core/permission/mode.ts";
import { canBeInterrupted } from "../../core/views/retry.ts";
import type { TeamHost } from "../../host/team-host.ts";
import type { PersonShell } from "./editor/person-shell.ts";
import { inRow, keyHint } from "./keys.ts";
import type { Screen } from "./screen.ts";
import type { TeamModel } from "./story/team.ts";

/** Shift-Tab goes through these. The mode without any question is chosen by its name: `/mode bypass`. */
const NEXT: Readonly<Record<Mode, Mode>> = {
  default: "accept-edits",
  "accept-edits": "plan",
  plan: "default",
  bypass: "default",
};

export class Steering {
  readonly shell: PersonShell;
  private team: { readonly host: TeamHost; readonly model: TeamModel } | null = null;
  /** The mode that was ordered and is not in use yet. */
  private wanted: Mode | null = null;
  /** Commands run in the sandbox without a question. */
  private unasked = false;

  constructor(shell: PersonShell) {
    this.shell = shell;
  }

  open(host: TeamHost, model: TeamModel): void {
    this.team = { host, model };
    host.runsUnasked().then(
      (unasked) => {
        this.unasked = unasked;
      },
      () => {},
    );
  }

  readonly mode = (): Mode | null => this.wanted ?? this.team?.host.mode ?? null;

  readonly isUsedUp = (): boolean => this.team?.host.spending.isUsedUp === true;

  readonly nextMode = (warn: (text: string) => void): string => {
    if (!this.team) return "the team is not open yet";
    const { host } = this.team;
    const next = NEXT[this.wanted ?? host.mode];
    this.wanted = next;
    const done = (): void => {
      if (this.wanted === next) this.wanted = null;
    };
    host
      .order({ kind: "mode", mode: next })
      .catch((error: unknown) => warn(messageOf(error)))
      .finally(done);
    return `mode ${next}: ${inRow(MODE_WORDS[next], commandWords(next, this.unasked))}`;
  };

  /** The number of members that work in this process now, and stop with it. */
  get atWork(): number {
    const { host, model } = this.team ?? {};
    const members = [...(model?.picture.members.values() ?? [])];
    return members.filter(({ name, phase }) => phase === "work" && host?.models.has(name)).length;
  }

  /** Ends a command of the person, else the turn of a member of this process. Whether there was something to end. */
  interrupt(who: Name, screen: Screen): boolean {
    if (this.shell.interrupt()) return true;
    const { host, model } = this.team ?? {};
    const member = model?.picture.members.get(who);
    const story = model?.stories.get(who);
    const isBusy = member !== undefined && canBeInterrupted(member);
    if (!host?.models.has(who) || (!isBusy && (story?.writing ?? null) === null && !story?.running.length))
      return false;
    host.order({ kind: "interrupt", who }).catch((error: unknown) => screen.warn(messageOf(error)));
    story?.cutOff("interrupted");
    screen.note(
      `${who} stopped: say what to do instead${who === LEAD ? "" : ` · ${keyHint("back", "lead")}`}`,
    );
    return true;
  }
}
