/**
 * The library, for programs that embed Ekiden. Anything not exported here may change at any time.
 *
 * `openHost` runs a team in this process; `openStore` only reads and writes one; the process that runs the team does not matter. Times are milliseconds (an
 * `Instant` since the epoch), money is US dollars. Every error is an `EkidenError` with a code; each function says which.
 */
import manifest from "../package.json" with { type: "json" };

export const version: string = manifest.version;

export { ManualClock, systemClock } from "./adapters/clock.ts";
export { openModel } from "./adapters/models/index.ts";
export { type ScriptedModel, type ScriptedStep, type Step, scripted } from "./adapters/models/scripted.ts";
export { openStore, type StoreOptions } from "./adapters/store/index.ts";
export type { Body, Mail } from "./core/board/mail.ts";
export type { Member, Profile, Seat } from "./core/board/member.ts";
export type { Recruit } from "./core/board/recruit.ts";
export type { Claimed, ClaimResult, Counts, NewTask, Task, TaskChange } from "./core/board/task.ts";
export type { Entry, Message } from "./core/conversation/chat.ts";
export { EkidenError, type ErrorCode, isEkidenError } from "./core/errors.ts";
export type { Event, Fact } from "./core/event.ts";
export { type Instant, LEAD, type Name, name, PERSON, type TaskId, taskId } from "./core/ids.ts";
export { parseRunbook, type Runbook } from "./core/project/runbook.ts";
export { DEFAULT_SETTINGS, type Settings } from "./core/settings/settings.ts";
export { openHost } from "./host/host.ts";
export type { Outcome } from "./host/outcome.ts";
export type { Work } from "./host/start-work.ts";
export type { HostOptions, TeamHost } from "./host/team-host.ts";
export type * from "./ports/clock.ts";
export type * from "./ports/crons.ts";
export type * from "./ports/jobs.ts";
export type * from "./ports/model.ts";
export type * from "./ports/store.ts";
