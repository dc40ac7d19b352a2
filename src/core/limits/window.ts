/** The limits of a login: an account of an agent program or a provider may do so much within a window of time, on a machine. */
import type { ErrorDetails } from "../errors.ts";
import type { Instant } from "../ids.ts";

/** "credit": the account is not paid. */
export type WindowKind = NonNullable<ErrorDetails["limit"]>;

/** `usedPercent` 100: nothing more is done before `resetsAt`. Both are missing where the program does not say them. */
export type LoginWindow = {
  /** The name of the preset, or the command; of a provider its name, with that of the model where the limit is that of one model. */
  readonly program: string;
  /** The account, or the folder of its configuration. */
  readonly login: string;
  readonly machine: string;
  readonly kind: WindowKind;
  readonly usedPercent?: number | undefined;
  readonly resetsAt?: Instant | undefined;
  /** Where it was read: "words", "event" or "answer" (of a provider); "work": it can be used again. */
  readonly source: string;
};

export const keyOfWindow = ({ program, login, machine, kind }: LoginWindow): string =>
  JSON.stringify([program, login, machine, kind]);

/** "claude: 5h window used up, resets 03:20" */
export function windowWords({ program, login, kind, usedPercent, resetsAt }: LoginWindow): string {
  const whose = login === "" ? program : `${program} (${login})`;
  const used =
    usedPercent === undefined
      ? "can be used"
      : usedPercent >= 100
        ? "is used up"
        : `${Math.round(usedPercent)} % used`;
  const until =
    resetsAt === undefined
      ? ""
      : `, resets ${new Date(resetsAt).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  return `${whose}: the ${KIND_WORDS[kind]} ${used}${usedPercent === undefined ? "" : until}`;
}

const KIND_WORDS: Readonly<Record<WindowKind, string>> = {
  "5h": "window of five hours",
  week: "window of a week",
  model: "window of its model",
  credit: "credit",
};

/** What a program said of one window. */
export type Notice = Omit<LoginWindow, "program" | "login" | "machine">;

export const isOver = ({ usedPercent }: Pick<Notice, "usedPercent">): boolean =>
  usedPercent !== undefined && usedPercent >= 100;
