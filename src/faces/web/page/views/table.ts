/** The views of the page, in the order of the navigation. A new one is a file here and its entry below. */

import { CompareView } from "../forks/compare.tsx";
import { LanesView } from "../lanes/lanes.tsx";
import { BoardView } from "./board.tsx";
import { ConversationView } from "./conversation.tsx";
import { CostsView } from "./costs.tsx";
import { JournalView } from "./journal.tsx";
import { LandingView } from "./landing.tsx";
import { MailView } from "./mail.tsx";
import { OutcomeView } from "./outcome.tsx";
import { QuestionsView } from "./questions.tsx";
import { RunView } from "./run.tsx";
import { TeamView } from "./team.tsx";
import { TeamsView } from "./teams.tsx";

/** `icon`: 16 by 16, strokes only; null for a view that the navigation does not show. */
export const VIEWS = {
  board: { body: BoardView, icon: "M2.5 3h4v3.5h-4zM9.5 9.5h4V13h-4zM4.5 6.5v4.75h5" },
  lanes: { body: LanesView, icon: "M2 4h7M5 8h8M3.5 12h6" },
  team: {
    body: TeamView,
    icon: "M5.5 7.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4M2 13c0-2.2 1.5-3.5 3.5-3.5S9 10.800 9 13M10.500 7.500a1.700 1.700 0 1 0 0-3.400M11 9.600c1.800 0 3 1.200 3 3.400",
  },
  questions: {
    body: QuestionsView,
    icon: "M6 6.200a2 2 0 1 1 2.900 1.800c-.6.300-.9.700-.9 1.400M8 11.700v.1M8 14.500a6.500 6.500 0 1 0 0-13 6.500 6.500 0 0 0 0 13",
  },
  outcome: { body: OutcomeView, icon: "M3 2.500v11M3 3h9l-2 2.700 2 2.700H3" },
  mail: { body: MailView, icon: "M2 4h12v8.500H2zM2.300 4.500 8 9l5.700-4.500" },
  journal: { body: JournalView, icon: "M4 2.500h8.500v11H4zM6.500 5.500h3.500M6.500 8h3.500M6.500 10.500h2" },
  costs: { body: CostsView, icon: "M3 13.500V9M8 13.500v-11M13 13.500V6" },
  landing: { body: LandingView, icon: "M4 2.500v11M4 6.500c0 3 4 2 8 2M10 6l2.500 2.500L10 11" },
  run: { body: RunView, icon: "M5 3l8 5-8 5z" },
  teams: {
    body: TeamsView,
    icon: "M2 2.500h5v4.500H2zM9 2.500h5v4.500H9zM2 9h5v4.500H2zM9 9h5v4.500H9z",
  },
  conversation: { body: ConversationView, icon: null },
  compare: { body: CompareView, icon: null },
} as const;
export type ViewName = keyof typeof VIEWS;
export const VIEW_NAMES = Object.keys(VIEWS) as readonly ViewName[];
/** The first views of the groups of the navigation. */
export const GROUPS: Partial<Record<ViewName, string>> = {
  ...{ board: "Now", questions: "Review", mail: "Record", run: "Control" },
};
/** The view of an address; the board for a name that is none. */
export const viewOf = (name: string): ViewName => VIEW_NAMES.find((one) => one === name) ?? "board";
