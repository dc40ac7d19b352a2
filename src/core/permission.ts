/** What a call may do, as far as it can be known before it is looked at. */

/**
 * - `read`: changes nothing; several run at once. - `write`: changes files. - `exec`: runs programs.
 * - `team`: the board, the mailboxes, the roster: allowed unless a rule says otherwise.
 */
export type Access = "read" | "write" | "exec" | "team";
