/**
 * Every setting once: its shape, its meaning, its default. Files, variables and flags are all read through this table
 * (src/project/settings.ts); a new setting is a line in `Settings`, one in `FIELDS` (fields.ts) and, if it has one, one in
 * `DEFAULT_SETTINGS`.
 */
import type { Recruit } from "../board/recruit.ts";
import type { Reviews } from "../board/review.ts";
import type { Tampering } from "../gate/passes.ts";
import type { RedBase } from "../gate/red-target.ts";
import { DEFAULT_TEAM, type Name } from "../ids.ts";
import type { Mode } from "../permission/mode.ts";
import type { HookSettings } from "../project/hooks.ts";
import { DEFAULT_COMMAND_LIMITS } from "../sandbox/command-limits.ts";
import type { SandboxMode } from "../sandbox/sandbox.ts";
import type { EffortSetting } from "./effort.ts";
import type { ModelSetting } from "./models.ts";

/**
 * `FIELDS` describes the meaning, unit and bounds of each setting; times are milliseconds. Settings without a default are optional.
 * The type is written out, because the published types must not import zod.
 */
export type Settings = {
  readonly model?: string | undefined;
  readonly lead?: string | undefined;
  readonly fallbackModel?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly effort?: EffortSetting | undefined;
  readonly models: Readonly<Record<string, ModelSetting>>;
  readonly teammates?: readonly Recruit[] | undefined;
  readonly turnsPerStint: number;
  readonly callsPerTask: number;
  readonly maxMembers: number;
  readonly taskDepth: number;
  readonly maxTurns?: number | undefined;
  readonly deadline?: string | undefined;
  readonly idleTimeoutMs: number;
  readonly idlePollMs: number;
  readonly jobWaitMs: number;
  readonly leaseMs: number;
  readonly maxAttempts: number;
  readonly shutdownDeadlineMs: number;
  readonly planDeadlineMs: number;
  readonly bashTimeoutMs: number;
  readonly permissionMode: Mode;
  readonly permissionsTo?: "person" | "lead" | "nobody" | undefined;
  readonly permissionDeadlineMs?: number | undefined;
  readonly questionDeadlineMs: number;
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
  readonly budgetTokens?: number | undefined;
  readonly budgetUsd?: number | undefined;
  readonly taskBudgetUsd: number;
  readonly teammateBudgetTokens?: number | undefined;
  readonly teammateBudgetUsd?: number | undefined;
  readonly providerTimeoutMs: number;
  readonly progressTimeoutMs: number;
  readonly agentSilenceMs: number;
  readonly fallbackSilenceMs: number;
  readonly fallbackContentMs: number;
  readonly contextShare: number;
  readonly contextTokens?: number | undefined;
  readonly trimTokens: number;
  readonly keepResults: number;
  readonly shortResult: number;
  readonly notesTokens: number;
  readonly todoReminderRounds: number;
  readonly store: string;
  readonly team: Name;
  readonly leadMayHoldSeveralTasks: boolean;
  readonly mcpServers: Readonly<Record<string, unknown>>;
  readonly hooks: HookSettings;
  readonly teams: boolean;
  readonly mailAcrossTeams: boolean | readonly Name[];
  readonly notify: string;
  readonly worktrees: boolean | "auto";
  /** auto: on a terminal, where the goal makes more than five tasks. */
  readonly planFirst: boolean | "auto";
  readonly worktreeShare: readonly string[];
  readonly gate?: string | undefined;
  readonly gateTimeoutMs: number;
  readonly gateParallel: number;
  readonly judges: readonly string[];
  readonly tampering: Tampering;
  readonly redBase?: RedBase | undefined;
  readonly landing?: "fast-forward" | "push" | "pr" | undefined;
  readonly remote?: string | undefined;
  readonly prCommand?: string | undefined;
  readonly targetBranch?: string | undefined;
  readonly forge?: string | undefined;
  readonly forgeLabel: string;
  readonly forgeAssignee?: string | undefined;
  readonly forgeWebhook?: string | undefined;
  readonly forgeMerge: "never" | "queue" | "auto";
  readonly forgeRounds: number;
  readonly forgeBots: readonly string[];
  readonly forgePollMs: number;
  readonly memory: boolean;
  readonly exitCheck: boolean;
  readonly review: Reviews;
  readonly reviewRounds: number;
  readonly checks: Readonly<Record<string, string>>;
  readonly sandbox: SandboxMode;
  readonly commandProcesses: number;
  readonly commandMemoryMb?: number | undefined;
  readonly commandFileMb: number;
  readonly freeDiskMb: number;
  readonly confinedCommands: "run" | "ask";
  readonly commandEnv: readonly string[];
};
export type SettingKey = keyof Settings;
/** Settings without a default; their description says what happens when they are unset. */
export type UnsetKey = {
  [K in SettingKey]-?: undefined extends Settings[K] ? K : never;
}[SettingKey];

export type SettingsLayer = { readonly [K in SettingKey]?: Settings[K] | undefined };

export const DEFAULT_SETTINGS: Settings = {
  forgeLabel: "ekiden",
  forgeMerge: "never",
  forgeRounds: 3,
  forgeBots: [],
  forgePollMs: 30_000,
  models: {},
  turnsPerStint: 50,
  callsPerTask: 1_000,
  taskBudgetUsd: 5,
  maxMembers: 16,
  taskDepth: 3,
  idleTimeoutMs: 60_000,
  idlePollMs: 5_000,
  jobWaitMs: 1_800_000,
  leaseMs: 15_000,
  maxAttempts: 3,
  shutdownDeadlineMs: 30_000,
  planDeadlineMs: 600_000,
  bashTimeoutMs: 120_000,
  permissionMode: "default",
  questionDeadlineMs: 600_000,
  allow: [],
  ask: [],
  deny: [],
  providerTimeoutMs: 600_000,
  progressTimeoutMs: 600_000,
  agentSilenceMs: 1_800_000,
  fallbackSilenceMs: 30_000,
  fallbackContentMs: 120_000,
  contextShare: 0.8,
  trimTokens: 50_000,
  keepResults: 3,
  shortResult: 300,
  notesTokens: 8_000,
  todoReminderRounds: 3,
  store: "sqlite:.ekiden/team.db",
  team: DEFAULT_TEAM,
  leadMayHoldSeveralTasks: false,
  hooks: {},
  mcpServers: {},
  teams: false,
  mailAcrossTeams: false,
  notify: "terminal",
  worktrees: "auto",
  planFirst: "auto",
  worktreeShare: [],
  gateTimeoutMs: 1_800_000,
  gateParallel: 1,
  judges: [],
  tampering: "second gate",
  memory: false,
  exitCheck: true,
  review: "asked",
  reviewRounds: 2,
  checks: {},
  sandbox: "auto",
  ...DEFAULT_COMMAND_LIMITS,
  confinedCommands: "run",
  commandEnv: [],
};

/** Settings that had another name, by that name. A file that still uses one gets a message with the new name. */
export const RENAMED_SETTINGS: Readonly<Record<string, SettingKey>> = {
  providerPatienceMs: "providerTimeoutMs",
  landingRemote: "remote",
  leadModel: "lead",
};
/** Settings that are gone, with what took their place: the end of a message to who still uses one. */
export const REMOVED_SETTINGS: Readonly<Record<string, string>> = {
  callsWithoutProgress:
    "is gone. A model now looks at long work, and taskBudgetUsd and callsPerTask limit what a task may use.",
  sync: "is gone. `ekiden export DIR --follow` writes the board as files; `ekiden import PATH` reads tasks once.",
  stintsPerAttempt:
    "is gone. taskBudgetUsd and callsPerTask limit what a task may use, with all its attempts.",
};

/** Whether mail may go to members of that other team. */
export const mayMail = ({ mailAcrossTeams }: Pick<Settings, "mailAcrossTeams">, team: Name): boolean =>
  typeof mailAcrossTeams === "boolean" ? mailAcrossTeams : mailAcrossTeams.includes(team);
