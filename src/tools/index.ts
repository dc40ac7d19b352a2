/** The tools of each capability, as data. A new tool is one file and one word here; features decide who is offered them. */
import type { MemberKind } from "../core/board/member.ts";
import type { Tool } from "../ports/index.ts";
import { checkBackground, stopBackground } from "./background.ts";
import { bash } from "./bash.ts";
import { editFile } from "./files/edit-file.ts";
import { glob } from "./files/glob.ts";
import { grep } from "./files/grep.ts";
import { readFile } from "./files/read-file.ts";
import { writeFile } from "./files/write-file.ts";
import { createTask, createTaskAsTeammate, getTask, listTasks, updateTask } from "./team/board.ts";
import {
  cancelTask,
  claimTask,
  completeTask,
  completeTaskAsLead,
  failTask,
  releaseTask,
  retryTask,
} from "./team/claims.ts";
import { broadcast, checkInbox, sendMessage } from "./team/mail.ts";
import { note } from "./team/note.ts";
import { requestPlan, reviewPlan, submitPlan } from "./team/plans.ts";
import { idle, listTeammates, requestShutdown, respondShutdown, spawnTeammate } from "./team/roster.ts";
import { cancelCron, listCrons, scheduleCron } from "./team/schedule.ts";
import { splitTask } from "./team/split.ts";
import { createTeam, deleteTeam } from "./team/teams.ts";

export { specOf } from "./spec.ts";

type ByKind = Readonly<Record<MemberKind, readonly Tool[]>>;

/** For every agent, and all that a subagent has. */
export const fileTools: readonly Tool[] = [bash, readFile, writeFile, editFile, glob, grep];

const members: readonly Tool[] = [listTasks, getTask, claimTask, failTask, releaseTask];
export const boardTools: ByKind = {
  lead: [...members, createTask, updateTask, completeTaskAsLead, retryTask, cancelTask],
  teammate: [...members, createTaskAsTeammate, splitTask, completeTask],
};

/** What one member tells others. Mail arrives before each turn, so a teammate need not ask for it, and is not told that it can. */
export const mailTools: ByKind = {
  lead: [sendMessage, broadcast, note, checkInbox],
  teammate: [sendMessage, note, { ...checkInbox, unlisted: true }],
};

export const rosterTools: ByKind = {
  lead: [idle, spawnTeammate, listTeammates, requestShutdown],
  teammate: [idle, respondShutdown],
};

/** Offered from the first background command on. */
export const jobTools: readonly Tool[] = [checkBackground, stopBackground];

/** `list` and `cancel` are offered once the team has cron jobs. */
export const cronTools = { schedule: scheduleCron, list: listCrons, cancel: cancelCron } as const;

export const planTools = { request: requestPlan, review: reviewPlan, submit: submitPlan } as const;

/** For a lead that may create other teams. */
export const teamsTools = { create: createTeam, delete: deleteTeam } as const;
