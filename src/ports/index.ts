/** Everything the runtime and the tools need from the world. Interfaces only; adapters implement them. */
export type * from "../core/board/host.ts";
export type * from "./clock.ts";
export type * from "./crons.ts";
export type * from "./forge.ts";
export type * from "./fork.ts";
export type * from "./jobs.ts";
export type * from "./landings.ts";
export type * from "./logins.ts";
export type * from "./model.ts";
export type * from "./port-blocks.ts";
export type * from "./shell.ts";
export type * from "./store.ts";
export type * from "./tool.ts";
export type * from "./worktrees.ts";
