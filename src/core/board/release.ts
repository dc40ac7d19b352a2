/** Why a task went back to the board, and the words for it. */
export type ReleaseReason =
  | "owner_died"
  | "owner_stopped"
  | "given_back"
  | "person"
  | "retry"
  | "lead"
  | "split"
  | "unable"
  | "red_base"
  | "proposed"
  | "request";

/** What a task and its owner are not to blame for: the attempt does not count. */
export const INTERRUPTIONS: ReadonlySet<ReleaseReason> = new Set<ReleaseReason>([
  ...(["owner_died", "owner_stopped", "unable", "red_base", "proposed", "request"] as const),
]);

const RELEASED: Record<ReleaseReason, (owner: string) => string> = {
  owner_died: (owner) => `The process of its owner ${owner} died.`,
  owner_stopped: (owner) => `Its owner ${owner} stopped before it was done.`,
  given_back: (owner) => `${owner} gave it back.`,
  person: (owner) => `The person took it back from ${owner}.`,
  lead: (owner) => `The lead took it back from ${owner}.`,
  retry: () => "It is tried again.",
  split: (owner) => `${owner} split it.`,
  unable: (owner) => `${owner} could not work.`,
  red_base: (owner) => `${owner} went to repair the target branch.`,
  proposed: (owner) => `${owner} proposed it.`,
  request: () => "Its pull request needs more work.",
};

/** The reason why an attempt ended without a result, for the next owner. */
export const releaseWords = (why: ReleaseReason, owner: string | null, note = ""): string =>
  `${RELEASED[why](owner ?? "")}${note.trim() && ` ${note.trim()}`}`;
