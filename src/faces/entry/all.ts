/** Every command. A new one is an entry in one of these tables and a file in this folder, imported when the command is chosen. */
import type { Entry } from "../commands/entry.ts";
import { SHARED } from "../commands/table.ts";
import { SETUP_COMMANDS } from "./setup-table.ts";
import { WORK_COMMANDS } from "./work-table.ts";

export const COMMANDS: readonly Entry[] = [...WORK_COMMANDS, ...SHARED, ...SETUP_COMMANDS];
