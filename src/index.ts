/** The library: what a program that embeds Ekiden may import. Anything not exported here may change at any time. */
import manifest from "../package.json" with { type: "json" };

export const version: string = manifest.version;

export { ManualClock, systemClock } from "./adapters/clock.ts";
export { openModel } from "./adapters/models/index.ts";
export { type ScriptedModel, type ScriptedStep, type Step, scripted } from "./adapters/models/scripted.ts";
export { openStore, type StoreOptions } from "./adapters/store/index.ts";
export { type HostOptions, openHost, type TeamHost } from "./apps/host/host.ts";
export type { Outcome } from "./apps/host/outcome.ts";
export type { Work } from "./apps/host/set-to-work.ts";
export { EkidenError, type ErrorCode, isEkidenError } from "./core/errors.ts";
export type { Event, Fact } from "./core/event.ts";
export { LEAD, type Name, name, PERSON, type TaskId, taskId } from "./core/ids.ts";
export { parseRunbook, type Runbook } from "./core/project/runbook.ts";
export { DEFAULTS, type Settings } from "./core/settings.ts";
export type { NewTask, Task } from "./core/task.ts";
export type * from "./ports/index.ts";
export { defineTool } from "./tools/define.ts";
