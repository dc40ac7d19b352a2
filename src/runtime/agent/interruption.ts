/** The reason why a step of an agent was interrupted from outside. Every abort signal in the runtime has such a reason. */
export type InterruptionKind =
  | "urgent" //  urgent mail: the step ends, the member continues with the mail
  | "stop" //    the deadline of a stop request: the member leaves
  | "replaced" // its place is needed for another member: it leaves
  | "suspend" // the process ends: everything stays as it is for `resume`
  | "person" //  the person pressed Ctrl-C on the lead's turn
  | "look" //    there may be something to do: only ends the wait of an idle member
  | "budget" //  its own budget is used up: the member leaves
  | "lost"; //   another process took the seat

export class Interruption extends Error {
  override readonly name = "Interruption";
  readonly kind: InterruptionKind;

  constructor(kind: InterruptionKind) {
    super(`interrupted: ${kind}`);
    this.kind = kind;
  }
}

/** The kind of the interruption, if the runtime aborted the signal. */
export function interruptionOf(signal: AbortSignal): InterruptionKind | null {
  return signal.aborted && signal.reason instanceof Interruption ? signal.reason.kind : null;
}
