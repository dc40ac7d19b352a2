/** The finding of one check of `ekiden doctor`. */
export type Finding = {
  readonly name: string;
  /** `missing`: not there, and only some work needs it. */
  readonly state: "ok" | "missing" | "wrong";
  readonly found: string;
  readonly fix?: string;
};

type Found = (name: string, found: string, fix?: string) => Finding;
const as =
  (state: Finding["state"]): Found =>
  (name, found, fix = "") => ({ name, state, found, ...(fix && { fix }) });
export const ok = as("ok");
export const missing = as("missing");
export const wrong = as("wrong");
