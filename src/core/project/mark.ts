/** Lines of a description that say something about its task: "Review: yes", "Judges: yes". Pure. */
export type Mark = keyof typeof LINES;

/** The first such line counts. The second pattern takes all of them away. */
const LINES = {
  /** An independent agent judges the task before it is completed. */
  Review: [
    /^[ \t]*(?:[-*][ \t]+)?Review:[ \t]*(\w+)[ \t]*$/im,
    /^[ \t]*(?:[-*][ \t]+)?Review:[ \t]*\w+[ \t]*\n?/gim,
  ],
  /** The task is meant to change what judges it. */
  Judges: [
    /^[ \t]*(?:[-*][ \t]+)?Judges:[ \t]*(\w+)[ \t]*$/im,
    /^[ \t]*(?:[-*][ \t]+)?Judges:[ \t]*\w+[ \t]*\n?/gim,
  ],
} as const;

export const isMarked = (description: string, mark: Mark): boolean =>
  LINES[mark][0].exec(description)?.[1]?.toLowerCase() === "yes";

/** The description with the line, or without it. */
export function withMark(description: string, mark: Mark, wanted: boolean): string {
  if (isMarked(description, mark) === wanted) return description;
  const rest = description.replace(LINES[mark][1], "").trim();
  return wanted ? `${rest}\n\n${mark}: yes`.trim() : rest;
}
