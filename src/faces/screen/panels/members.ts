/** All members, those that wait for the person first, then those at work, also those that have stopped: what each does, with how much. */
import { LEAD } from "../../../core/ids.ts";
import { isOver, keyOfWindow, type LoginWindow } from "../../../core/limits/window.ts";
import type { PictureMember } from "../../../core/picture/member.ts";
import { openWindows, windowLine } from "../../../core/views/logins.ts";
import { money, span, tokens } from "../../../core/views/view.ts";
import { colourOf } from "../draw/colours.ts";
import type { Row } from "../draw/list.ts";
import { oneLine, shortened, spread } from "../draw/style.ts";
import { askers, phaseWords, waits } from "../story/strip.ts";
import type { Listed, Panel, PanelInput } from "./panel.ts";

const ORDER = ["work", "idle", "shutdown"] as const;

export const membersPanel: Panel = {
  title: "members",
  actions: [{ key: "+", word: "add one", line: "/spawn " }],
  read: async ({ team, style, now }: PanelInput): Promise<Listed> => {
    const asks = askers(team);
    const rank = (one: PictureMember): number => (waits(one, asks) ? -1 : ORDER.indexOf(one.phase));
    const members = [...team.picture.members.values()].sort((a, b) => rank(a) - rank(b));
    return {
      empty: "There is no team yet.",
      rows: [
        ...members.map((one) => memberRow(one, waits(one, asks), { team, style, now })),
        ...openWindows(team.picture.logins.values(), now).map((window) => loginRow(window, style, now)),
      ],
    };
  },
};

function loginRow(window: LoginWindow, { paint }: PanelInput["style"], now: number): Row {
  const text = windowLine(window, now);
  const tone = isOver(window) ? "warn" : "dim";
  return {
    id: keyOfWindow(window),
    text,
    actions: [],
    lines: (width) => [paint(tone, shortened(text, width))],
  };
}

function memberRow(
  member: PictureMember,
  isWaiting: boolean,
  { team: { picture }, style: { paint }, now }: Pick<PanelInput, "team" | "style" | "now">,
): Row {
  const { name, role, model, phase, task, since, usd, inputTokens, outputTokens } = member;
  const subject = task === null ? "" : `#${task} ${oneLine(picture.subject(task))}`;
  const state = phase === "work" ? member.step || "at work" : phaseWords(member);
  const doing = [isWaiting ? "waits for you" : state, subject];
  const tone = isWaiting ? "warn" : phase === "work" ? "plain" : "dim";
  const words = doing.filter((part) => part !== "").join(" · ");
  const spent = inputTokens + outputTokens;
  return {
    id: name,
    text: `${name} ${role} ${model} ${words}`,
    actions: [
      { key: "enter", word: "conversation", line: `/to ${name}` },
      ...(task === null ? [] : [{ key: "d", word: `details of #${task}`, line: `/task ${task}` }]),
      ...(phase === "shutdown" ? [] : [{ key: "m", word: "write", line: `/send ${name} ` }]),
      ...(phase === "shutdown" || name === LEAD
        ? []
        : [{ key: "s", word: "stop", line: `/stop ${name}`, asks: true }]),
    ],
    lines: (width) => [
      spread(
        `${paint(phase === "work" ? "busy" : tone, isWaiting ? "?" : phase === "work" ? "▶" : "○")} ${paint(colourOf(name), name)}${role === "" ? "" : paint("dim", ` ${role}`)}  ${paint(tone, words)}`,
        paint(
          "dim",
          [
            ...(width >= 90 ? [model] : []),
            ...(spent > 0 ? [tokens(spent)] : []),
            ...(usd > 0 ? [money(usd)] : []),
            span(now - since),
          ].join("  "),
        ),
        width,
      ),
    ],
  };
}
