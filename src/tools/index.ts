/**
 * Who may use what, as data. A new tool is one file and one word here. Nobody is offered what its part does not need: every
 * tool is paid for in every request.
 */
import type { Tool } from "../ports/index.ts";
import { checkBackground, stopBackground } from "./background.ts";
import { bash } from "./bash.ts";
import { createTask, createTaskAsTeammate, getTask, listTasks, updateTask } from "./board.ts";
import { claimTask, completeTask, completeTaskAsLead, failTask, releaseTask } from "./claims.ts";
import { compact } from "./compact.ts";
import { editFile } from "./edit-file.ts";
import { glob } from "./glob.ts";
import { grep } from "./grep.ts";
import { broadcast, checkInbox, sendMessage } from "./mail.ts";
import { requestPlan, reviewPlan, submitPlan } from "./plans.ts";
import { readFile } from "./read-file.ts";
import { idle, listTeammates, requestShutdown, respondShutdown, spawnTeammate } from "./roster.ts";
import { cancelCron, listCrons, scheduleCron } from "./schedule.ts";
import { createTeam, deleteTeam } from "./teams.ts";
import { writeFile } from "./write-file.ts";

export { sendMessageAcross } from "./mail.ts";
export { reviewPermission } from "./permissions.ts";
export { specOf } from "./spec.ts";

/** Work on files: for every agent, and all that a subagent has. */
export const subagentTools: readonly Tool[] = [bash, readFile, writeFile, editFile, glob, grep];

/** For every member of a team. Mail comes in by itself before each turn, so nobody has to ask for it. */
const memberTools: readonly Tool[] = [
  ...subagentTools,
  listTasks,
  getTask,
  claimTask,
  failTask,
  releaseTask,
  sendMessage,
  idle,
];

export const teammateTools: readonly Tool[] = [
  ...memberTools,
  createTaskAsTeammate,
  completeTask,
  respondShutdown,
];

export const leadTools: readonly Tool[] = [
  ...memberTools,
  createTask,
  updateTask,
  completeTaskAsLead,
  spawnTeammate,
  listTeammates,
  requestShutdown,
  broadcast,
  checkInbox,
  scheduleCron,
];

/** For whoever has had a background job; the lead, when anybody has. */
export const jobTools: readonly Tool[] = [checkBackground, stopBackground];

/** For a lead whose team has alarms. */
export const cronTools: readonly Tool[] = [listCrons, cancelCron];

/** For whoever has a conversation that is worth summing up. */
export const longTools: readonly Tool[] = [compact];

/** For the lead while it has teammates, and while there are plans to answer. */
export const planTools = { request: requestPlan, review: reviewPlan, submit: submitPlan } as const;

/** For a lead that may have other teams made. */
export const teamsTools: readonly Tool[] = [createTeam, deleteTeam];
