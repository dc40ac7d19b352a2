/** `ekiden ps` on a terminal: the teams of the person by what they need, with their questions, which keys answer. */
import { matchesKey } from "@earendil-works/pi-tui";
import { systemClock } from "../../adapters/clock.ts";
import { messageOf } from "../../core/errors.ts";
import { escapes } from "../../core/text/hidden.ts";
import type { ListedTeam, TeamState } from "../../core/views/ps.ts";
import type { QuestionData } from "../../core/views/request.ts";
import { counted, money, span, type Tone } from "../../core/views/view.ts";
import { withTeam } from "../../project/open.ts";
import { answer } from "../../team/actions/answer.ts";
import { listedTeams, placeOf } from "../../team/queries/all-teams.ts";
import type { Invocation } from "../kit/invocation.ts";
import { onSignals } from "../kit/run-guards.ts";
import { Canvas } from "./draw/canvas.ts";
import { List, type Row } from "./draw/list.ts";
import { oneLine, type Style, shortened, spread, styleOf, wrapped } from "./draw/style.ts";
import { Theme } from "./draw/theme.ts";

const AGAIN_MS = 2_000;
/** A question that came under the cursor by itself takes no answer for so long. */
const DEAD_MS = 700;
/** Lines of a question that can be read here; a longer one is read in its conversation. */
const ASKED_MAX = 14;
/** The title, the foot, a heading with an empty line above it, who asks, and the line about more lines. */
const HEADS = 6;
/** An empty line and the name of a group, above its first row. */
const HEADING = 2;
const PAGE = 10;

type Listed = Awaited<ReturnType<typeof listedTeams>>[number];
type Asked = { readonly of: Listed; readonly question: QuestionData };

const GROUPS: Readonly<Record<TeamState, readonly [title: string, tone: Tone]>> = {
  "needs you": ["Needs you", "warn"],
  working: ["Working", "busy"],
  idle: ["Ready", "plain"],
  stopped: ["Stopped", "plain"],
  done: ["Done", "good"],
  unreadable: ["Cannot be read", "bad"],
};

export class PsScreen {
  private readonly call: Invocation;
  private readonly all: boolean;
  private readonly style: Style;
  private readonly canvas: Canvas;
  private readonly list = new List();
  private readonly over = new AbortController();
  private readonly asked = new Map<string, Asked>();
  private teams: readonly Listed[] | null = null;
  private chosen: Listed | null = null;
  private selected: { readonly id: string | undefined; readonly at: number } = { id: undefined, at: 0 };
  private said = "";

  constructor(call: Invocation, all: boolean) {
    this.call = call;
    this.all = all;
    this.style = styleOf({ ...call.out, paint: new Theme(call.out).paint });
    this.canvas = new Canvas(this.picture, this.key);
  }

  /** Resolves with the team whose conversation is wanted; null when the person leaves. */
  async run(): Promise<Pick<ListedTeam, "cwd" | "team"> | null> {
    const release = onSignals(() => this.over.abort());
    const { signal } = this.over;
    try {
      this.canvas.enter();
      while (!signal.aborted) {
        await this.read();
        await systemClock.sleep(AGAIN_MS, signal);
      }
      return this.chosen;
    } finally {
      release();
      await this.canvas.leaveQuietly();
    }
  }

  private async read(): Promise<void> {
    this.teams = await listedTeams(this.call.env, this.all);
    this.asked.clear();
    const begun = new Set<TeamState>();
    const rows = this.teams.flatMap((team): Row[] => {
      const isFirst = !begun.has(team.state);
      begun.add(team.state);
      return [this.teamRow(team, isFirst), ...(team.open ?? []).map((one) => this.questionRow(team, one))];
    });
    this.list.set(rows);
    this.look();
    this.canvas.requestRender();
  }

  /** Notes when another row came under the cursor. */
  private look(): void {
    const id = this.list.selected?.id;
    if (id !== this.selected.id) this.selected = { id, at: Date.now() };
  }

  private teamRow(team: Listed, isFirst: boolean): Row {
    const { paint } = this.style;
    const [title, tone] = GROUPS[team.state];
    const count = this.teams?.filter(({ state }) => state === team.state).length ?? 0;
    const { counts, usd, since, note } = team;
    const figures = [
      counts && counts.total > 0 ? `${counts.completed}/${counts.total} tasks` : "",
      counts && counts.failed > 0 ? `${counts.failed} failed` : "",
      money(usd),
      since === null ? "" : span(systemClock.now() - since),
    ].filter((part) => part !== "");
    return {
      id: `${team.cwd} ${team.team}`,
      text: `${team.team} ${team.cwd} ${team.state}`,
      actions: [],
      lines: (width) => [
        ...(isFirst ? ["", paint("strong", `${title} (${count})`)] : []),
        spread(
          `${paint(tone, "●")} ${paint("strong", team.team)}  ${oneLine(team.cwd)}${note === "" ? "" : `: ${oneLine(note)}`}`,
          paint("dim", figures.join(" · ")),
          width,
        ),
      ],
    };
  }

  private questionRow(of: Listed, question: QuestionData): Row {
    const { paint } = this.style;
    const id = `${of.cwd} ${of.team} ${question.id}`;
    this.asked.set(id, { of, question });
    const words = question.text.trim().split("\n")[0] ?? "";
    return {
      id,
      text: `${of.team} ${question.by} ${question.text}`,
      actions: [],
      lines: (width) => {
        const isOpen = this.list.selected?.id === id;
        const head = `  ${paint("warn", "?")} ${question.by}: ${isOpen ? this.kind(question) : oneLine(words)}`;
        if (!isOpen) return [shortened(head, width)];
        const whole = this.whole(question, width - 6);
        const shown = whole.slice(0, this.askedMost).map((line) => `    ${paint("dim", "│")} ${line}`);
        const rest = whole.length - shown.length;
        return [
          head,
          ...shown,
          ...(rest > 0 ? [`    … ${counted(rest, "more line")}: enter shows all`] : []),
        ];
      },
    };
  }

  /** On a low terminal a row must not be higher than its window: an answer would be to what nobody sees. */
  private get askedMost(): number {
    return Math.max(1, Math.min(ASKED_MAX, this.canvas.terminal.rows - HEADS));
  }

  private kind({ kind, task }: QuestionData): string {
    const of = task === null ? "" : ` for #${task}`;
    return (
      { plan: "a plan", permission: "wants to run", question: "asks", shutdown: "asks to stop" }[kind] + of
    );
  }

  /** All that an answer is about. */
  private whole({ text, why, diff, options = [] }: QuestionData, width: number): string[] {
    const parts = [text, ...(why ? [`Why it is asked: ${why}.`] : []), ...(diff === undefined ? [] : [diff])];
    const choices = options.map(({ label }, nth) => `${nth + 1} ${label}`);
    return [...parts, ...choices].flatMap((part) =>
      part.split("\n").flatMap((line) => wrapped(escapes(line), Math.max(20, width), "")),
    );
  }

  private readonly picture = (width: number, height: number): readonly string[] => {
    const { paint } = this.style;
    const { list, teams } = this;
    const questions = this.asked.size;
    const asks = this.asked.get(list.selected?.id ?? "");
    const title = ` ekiden ps · ${counted(teams?.length ?? 0, "team")}${questions > 0 ? ` · ${counted(questions, "question")}` : ""}`;
    const hint = asks === undefined ? "enter opens its conversation" : `${this.keysFor(asks)} · enter opens`;
    const room = Math.max(1, height - 2);
    const rows = list.window(room, (row, isSelected) => {
      const lines = row.lines(width - 2);
      const own = lines[0] === "" ? HEADING : 0;
      return lines.map((line, at) => `${isSelected && at === own ? paint("busy", "› ") : "  "}${line}`);
    });
    const empty = teams === null ? " reading …" : " You have run no team yet. Start one: ekiden run GOAL";
    const body = rows.length === 0 ? ["", paint("dim", shortened(empty, width))] : rows;
    const foot =
      this.said === "" ? paint("dim", ` ↑↓ select · ${hint} · q leaves`) : paint("warn", ` ${this.said}`);
    return [
      paint("strong", shortened(title, width)),
      ...body,
      ...Array.from({ length: Math.max(0, room - body.length) }, () => ""),
      shortened(foot, width),
    ];
  };

  private keysFor({ question: { kind, options = [] } }: Asked): string {
    return kind !== "question" ? "y yes · n no" : options.length > 0 ? `1 to ${options.length} answer` : "";
  }

  private readonly key = (data: string): void => {
    const moves = { up: -1, k: -1, down: 1, j: 1, pageUp: -PAGE, pageDown: PAGE } as const;
    const move = Object.entries(moves).find(([key]) => matchesKey(data, key as "up"));
    if (move) {
      this.list.move(move[1]);
      this.selected = { id: this.list.selected?.id, at: 0 };
      this.said = "";
    } else if (
      data === "q" ||
      ["escape", "ctrl+c", "ctrl+d"].some((key) => matchesKey(data, key as "escape"))
    )
      this.over.abort();
    else if (matchesKey(data, "enter")) this.open();
    else this.answers(data);
  };

  private open(): void {
    const id = this.list.selected?.id ?? "";
    const of = this.asked.get(id)?.of ?? this.teams?.find((one) => id === `${one.cwd} ${one.team}`);
    if (!of || of.known.file === null) return;
    this.chosen = of;
    this.over.abort();
  }

  private answers(data: string): void {
    const asked = this.asked.get(this.list.selected?.id ?? "");
    if (!asked || Date.now() - this.selected.at < DEAD_MS) return;
    const { kind, options = [] } = asked.question;
    const words =
      kind === "question" ? (options[Number(data) - 1] ? data : "") : ({ y: "yes", n: "no" }[data] ?? "");
    if (words === "") return;
    const length = this.whole(asked.question, this.canvas.terminal.columns - 8).length;
    if (words === "yes" && length > this.askedMost)
      this.said = "not all of it is shown: enter opens its conversation";
    else void this.send(asked, words);
  }

  private async send({ of, question }: Asked, words: string): Promise<void> {
    const { call } = this;
    const place = placeOf(of.known, call.env);
    try {
      const { text } = await withTeam(place, "use", (store) => answer(store, question.id, words));
      this.said = oneLine(text);
    } catch (error) {
      this.said = oneLine(messageOf(error));
    }
    await this.read();
  }
}
