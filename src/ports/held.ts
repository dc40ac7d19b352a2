/** A claim with its seat, and a message to be sent: what several ports take. */
import type { Body } from "../core/board/mail.ts";
import type { Seat } from "../core/board/member.ts";
import type { Name, TaskId } from "../core/ids.ts";

/** A claim and the seat that holds it. Every write checks both. */
export type Held = { readonly seat: Seat; readonly task: TaskId; readonly attempt: number };

export type Outgoing = { readonly to: Name; readonly body: Body; readonly urgent?: boolean };
