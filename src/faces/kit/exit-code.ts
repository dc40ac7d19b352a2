/** The exit code of a process that ran a team, or looked on until its end. */
import type { Outcome } from "../../host/outcome.ts";

export function exitCodeOf({ reason, failed, cancelled, unfinished, proposed, error }: Outcome): number {
  switch (reason) {
    case "concluded":
      return error?.exitCode ?? (failed + cancelled + (proposed ? 0 : unfinished) > 0 ? 1 : 0);
    case "budget":
    case "turns":
    case "calls":
    case "progress":
    case "loop":
    case "deadline":
      return 4;
    case "model":
      return error?.exitCode ?? 3;
    case "interrupted":
      return 130;
    default:
      return reason satisfies never;
  }
}
