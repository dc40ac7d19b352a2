/** What one check of `ekiden doctor` has found. */
export type Finding = {
  readonly name: string;
  /** `missing`: not there, and only some work needs it. */
  readonly state: "ok" | "missing" | "wrong";
  readonly found: string;
  readonly fix?: string;
};

/** "3 tasks" */
export const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? "" : "s"}`;
