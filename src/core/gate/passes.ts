/** Who may let a change pass that has signals of tampering. Pure. */

/** What the setting `tampering` says. */
export const TAMPERING = ["second gate", "review", "person", "note", "off"] as const;
export type Tampering = (typeof TAMPERING)[number];

/** `gate`: a second run with the judging files of the target. `nobody`: it lands with a note. */
export type Passer = "gate" | "reviewer" | "person" | "nobody";

/** Who can be asked at the moment. */
export type Can = { readonly reviewer: boolean; readonly person: boolean };

/** `isMeant`: its task has the line "Judges: yes", so the tests of the target prove nothing about it. */
export function passerOf(setting: Tampering, isMeant: boolean, { reviewer, person }: Can): Passer {
  if (setting === "note" || setting === "off") return "nobody";
  if (setting === "person") return "person";
  if (reviewer && (setting === "review" || isMeant)) return "reviewer";
  if (!isMeant) return "gate";
  return person ? "person" : "nobody";
}
