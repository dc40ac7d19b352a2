/**
 * The one error class. Expected outcomes are values (see `ClaimResult`); an error is news for an operator, a caller or a
 * model. Every message names the thing, says what was expected and what to do.
 */
export type ErrorCode =
  // the caller's input
  | "bad_input" //          malformed: a name, an id, a runbook, a flag
  | "settings_invalid" //   a settings file or variable
  | "not_found" //          no such task, member, mail, file
  | "cycle" //              an edge would make a task wait for itself
  | "already_started" //    the task cannot be changed that way in its status
  | "name_taken" //         a member or a team has that name
  | "mailbox_full" //       too much unread mail
  // fencing
  | "stale_claim" //        the claim is not (or no longer) the caller's
  | "stale_seat" //         another process hosts this member now
  | "answered" //           a protocol request was answered before, is not yours, or has another type
  // the tools
  | "not_permitted" //      a rule, the mode or the person refuses
  | "not_trusted" //        the project brings something that the person has not agreed to
  | "outside_workspace" //  a path outside the project
  | "tool_failed" //        a tool or a command failed
  // the model
  | "model_missing" //      no model configured or unknown provider
  | "model_auth" //         401/403: the key is missing or wrong
  | "model_overloaded" //   429, 5xx, 529, network, stall, truncated stream
  | "model_refused" //      400 and other refusals that a retry does not help
  | "context_overflow" //   the conversation does not fit the model, even summed up
  // the forge
  | "forge_away" //         no answer, or a limit
  | "forge_refused" //      the token is missing or may not do it
  // the run
  | "budget" //             tokens, money or turns are used up
  // the store
  | "store_unavailable" //  cannot be opened, locked for too long, connection lost
  | "store_newer" //        written by a newer version of Ekiden
  | "store_older" //        written by an older version of Ekiden that still runs, or only read by this one
  | "host_version" //       hosts of another version of Ekiden run members of the team
  | "host_settings" //      hosts of the team land elsewhere, or with another gate
  | "store_foreign" //      a file of another program, a folder, damaged
  | "import_invalid"; //    nothing could be imported

/** The exit code of the process; 2 for all others. The README has the whole list: 1 is a failed task, 130 an interruption. */
const EXIT: Partial<Record<ErrorCode, number>> = {
  model_missing: 3,
  model_auth: 3,
  model_overloaded: 3,
  model_refused: 3,
  context_overflow: 3,
  budget: 4,
  store_unavailable: 5,
  store_newer: 5,
  store_older: 5,
  host_version: 5,
  host_settings: 5,
  store_foreign: 5,
};

const RETRYABLE: ReadonlySet<ErrorCode> = new Set(["model_overloaded", "store_unavailable"]);

export type ErrorDetails = {
  /** Milliseconds that the other side asked us to wait. */
  readonly retryAfterMs?: number;
  /** HTTP status, if there was one. */
  readonly status?: number;
  /** The account may do nothing more in this window. */
  readonly limit?: "5h" | "week" | "model" | "credit" | undefined;
  /** The login of the member is closed before this time, an `Instant`. `isKnown`: somebody has said when it ends. */
  readonly until?: number | undefined;
  readonly isKnown?: boolean | undefined;
  /** The part that a model's provider refuses, where its words name it. `request`: what is the same in every request, such as tools or the account. */
  readonly about?: "conversation" | "images" | "request" | undefined;
  readonly [key: string]: unknown;
};

export class EkidenError extends Error {
  override readonly name = "EkidenError";
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, options: ErrorOptions & { details?: ErrorDetails } = {}) {
    super(message, options);
    this.code = code;
    this.details = options.details ?? {};
  }

  get retryable(): boolean {
    return RETRYABLE.has(this.code);
  }

  get exitCode(): number {
    return EXIT[this.code] ?? 2;
  }
}

type Made = (message: string, options?: ConstructorParameters<typeof EkidenError>[2]) => EkidenError;
const made =
  (code: ErrorCode): Made =>
  (message, options) =>
    new EkidenError(code, message, options);

export const badInput = made("bad_input");
export const notFound = made("not_found");
export const notPermitted = made("not_permitted");
export const toolFailed = made("tool_failed");

/** True for our own errors, also from another bundle. */
export const isEkidenError = (error: unknown, code?: ErrorCode): error is EkidenError =>
  error instanceof Error &&
  error.name === "EkidenError" &&
  (code === undefined || (error as EkidenError).code === code);

/** The result of `work`, or `otherwise` where it fails with this code. */
export const orElse = <T, O>(work: Promise<T>, code: ErrorCode, otherwise: O): Promise<T | O> =>
  work.catch((error: unknown) => {
    if (isEkidenError(error, code)) return otherwise;
    throw error;
  });

/** The sentence to show for a thrown value. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
