/**
 * Who may use what, as data. A new tool is one file and one word here. Nobody is offered what its part does not need: every
 * tool is paid for in every request.
 */
import type { Tool } from "../ports/index.ts";
import { bash } from "./bash.ts";
import { createTask, getTask, listTasks, updateTask } from "./board.ts";
import { claimTask, completeTask, completeTaskAsLead, failTask, releaseTask } from "./claims.ts";
import { editFile } from "./edit-file.ts";
import { glob } from "./glob.ts";
import { grep } from "./grep.ts";
import { broadcast, checkInbox, sendMessage } from "./mail.ts";
import { readFile } from "./read-file.ts";
import { idle, listTeammates, requestShutdown, respondShutdown, spawnTeammate } from "./roster.ts";
import { writeFile } from "./write-file.ts";

export { specOf } from "./spec.ts";

/** Work on files: for every agent, and all that a subagent has. */
export const subagentTools: readonly Tool[] = [bash, readFile, writeFile, editFile, glob, grep];

/** For every member of a team. */
const memberTools: readonly Tool[] = [
  ...subagentTools,
  createTask,
  listTasks,
  getTask,
  claimTask,
  failTask,
  releaseTask,
  listTeammates,
  sendMessage,
  broadcast,
  checkInbox,
  respondShutdown,
  idle,
];

export const teammateTools: readonly Tool[] = [...memberTools, completeTask];

export const leadTools: readonly Tool[] = [
  ...memberTools,
  completeTaskAsLead,
  updateTask,
  spawnTeammate,
  requestShutdown,
];
