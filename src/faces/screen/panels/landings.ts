/** Lists tasks that wait to land, with gate and place in line, and landed ones. Keys move, drop or land a waiting one. */
import { landingsOf, type ProjectLandings } from "../../../adapters/git/landing/landings.ts";
import { orElse } from "../../../core/errors.ts";
import { type LandedRow, type LandingRow, landingsData, STATES } from "../../../core/views/landing.ts";
import { redBaseNow } from "../../../core/views/red-target.ts";
import { span } from "../../../core/views/view.ts";
import { askGit } from "../../../project/own-git.ts";
import type { Row } from "../draw/list.ts";
import { oneLine, type Style, spread } from "../draw/style.ts";
import type { Listed, Panel, PanelInput } from "./panel.ts";

const LANDED_SHOWN = 20;
/** The history of a repository is read less often than its line. */
const HISTORY_MS = 5_000;

/** The landings of the last folder; null outside of a repository. */
let known: {
  readonly cwd: string;
  readonly landings: ProjectLandings | null;
  landed: LandedRow[];
  readAt: number;
} | null = null;

export const landingsPanel: Panel = {
  title: "landings",
  read: async ({ team, store, style, now, place: { cwd } }: PanelInput): Promise<Listed> => {
    if (known?.cwd !== cwd) {
      const landings = await orElse(landingsOf(cwd, askGit(cwd)), "bad_input", null);
      known = { cwd, landings, landed: [], readAt: 0 };
    }
    const { landings } = known;
    if (!landings) return { rows: [], empty: "This folder is not in a git repository: nothing lands here." };
    if (now - known.readAt > HISTORY_MS) {
      known.landed = await landings.landed(store.landings, LANDED_SHOWN);
      known.readAt = now;
    }
    const line = await landings.queue(store.landings);
    const { waiting, landed } = landingsData(line, known.landed, now);
    const red = redBaseNow(team.picture);
    const isOurs = ({ team }: { team: string }): boolean => team === store.team;
    return {
      ...(red !== null && { head: (width: number) => spread(style.paint("bad", oneLine(red)), "", width) }),
      empty: "Nothing waits to land, and nothing has landed yet.",
      rows: [
        ...waiting.map((one) => waitingRow(one, isOurs(one), style)),
        ...landed.map((one) => landedRow(one, isOurs(one), style, now)),
      ],
    };
  },
};

function waitingRow(row: LandingRow, isOurs: boolean, { paint }: Style): Row {
  const { task, team, subject, by, target, place, waitsMs, branch } = row;
  const { text: state, tone = "plain" } = STATES[row.state](row);
  const number = place === null ? "–" : String(place);
  return {
    id: `${branch} ${target}`,
    text: `#${task} ${subject} ${by} ${team} ${target} ${state}`,
    // A decision is about a task of one's own team.
    actions: !isOurs
      ? []
      : [
          { key: "enter", word: "details", line: `/task ${task}` },
          ...(place === null || place === 1
            ? []
            : [{ key: "+", word: "sooner", line: `/landings ${task} move ${place - 1}` }]),
          ...(place === null
            ? []
            : [{ key: "-", word: "later", line: `/landings ${task} move ${place + 1}` }]),
          { key: "l", word: "land next", line: `/landings ${task} land`, asks: true },
          { key: "x", word: "drop", line: `/landings ${task} drop`, asks: true },
          { key: "o", word: "owner", line: `/to ${by}` },
        ],
    lines: (width) => [
      spread(
        `${paint("dim", number)} ${paint("dim", `#${task}`)} ${paint("strong", oneLine(subject))}  ${by}${isOurs ? "" : ` (${team})`} ${paint("dim", `→ ${target}`)}`,
        `${paint(tone, state)} ${paint("dim", span(waitsMs))}`,
        width,
      ),
    ],
  };
}

function landedRow(row: LandedRow, isOurs: boolean, { paint }: Style, now: number): Row {
  const { at, task, team, commit, subject, command, gateMs } = row;
  return {
    id: commit,
    text: `#${task} ${subject} ${team} ${commit} landed`,
    actions: isOurs ? [{ key: "enter", word: "details", line: `/task ${task}` }] : [],
    lines: (width) => [
      spread(
        `${paint("good", "✓")} ${paint("dim", `#${task}`)} ${oneLine(subject)}${isOurs ? "" : ` (${team})`}  ${paint("dim", `${commit.slice(0, 9)} · ${oneLine(command)} ${span(gateMs)}`)}`,
        paint("dim", `${span(now - at)} ago`),
        width,
      ),
    ],
  };
}
