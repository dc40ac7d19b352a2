/** The commands by which a person does a task by hand. */
import { type Entry, GROUPS } from "./entry.ts";

const [, BOARD] = GROUPS;

export const HAND_COMMANDS: readonly Entry[] = [
  {
    usage: "take <id>",
    about: "do a task yourself: no member takes it; release gives it back",
    example: "ekiden take 4",
    group: BOARD,
    slash: true,
    near: ["claim"],
    load: async () => (await import("./override.ts")).take,
  },
  {
    usage: "done <id> [result...]",
    about: "complete a task by hand; its result is passed on",
    example: 'ekiden done 4 "the key is in the vault"',
    group: BOARD,
    slash: true,
    near: ["complete", "finish"],
    load: async () => (await import("./override.ts")).done,
  },
  {
    usage: "fail <id> [reason...]",
    about: "end a task as failed",
    example: 'ekiden fail 4 "the vendor says no"',
    group: BOARD,
    slash: true,
    load: async () => (await import("./override.ts")).fail,
  },
];
