/** The shape, meaning, unit and bounds of each setting. The schemas of all take longer to make than most commands run. */
import { z } from "zod";
import { type Recruit, recruit, recruits } from "../board/recruit.ts";
import { REVIEWS } from "../board/review.ts";
import { REFUSALS_MAX } from "../board/task.ts";
import { TAMPERING } from "../gate/passes.ts";
import { RED_BASE } from "../gate/red-target.ts";
import { name } from "../ids.ts";
import { lazy } from "../lazy.ts";
import { MODES } from "../permission/mode.ts";
import { hookSettings } from "../project/hooks.ts";
import { SANDBOX_MODES } from "../sandbox/sandbox.ts";
import { modelSpec } from "./agent-line.ts";
import { checkDeadline } from "./deadline.ts";
import { FORGE_FIELDS } from "./forge-fields.ts";
import type { SettingKey, Settings, SettingsLayer } from "./settings.ts";
import {
  count,
  dollars,
  duration,
  effortSetting,
  flag,
  flagOr,
  modelSetting,
  money,
  oneOf,
  positive,
  read,
  text,
} from "./shapes.ts";

const rules = lazy(() => z.array(text(), `a list of rules such as ["bash(git status)"]`).readonly());
const spec = lazy(() => text().transform(read(modelSpec)));
export const FIELDS: { readonly [K in SettingKey]: () => z.ZodType<NonNullable<Settings[K]>> } = {
  model: () =>
    spec().describe('Model of all members: provider/model, or an agent program ("claude", "@acp:COMMAND").'),
  lead: () => spec().describe("Model or agent program of the lead, if it differs from `model`."),
  baseUrl: () =>
    z.url("a URL such as http://localhost:11434/v1").describe("Address of the openai-compatible provider."),
  effort: () =>
    effortSetting().describe(
      'How hard models think: a level, or one for each phase ("plan", "work", "review") and role ("roles"). Unset: as each provider sees fit.',
    ),
  models: () =>
    z
      .record(z.string(), modelSetting(), 'models by "provider/name"')
      .describe(
        'Properties of models that Ekiden does not know, by "provider/name": efforts, thinking, window, longest, patch, price, and options that go with each request.',
      ),
  teammates: () =>
    z
      .union(
        [
          count().max(1000).transform(recruits),
          z.array(z.string().transform(read(recruit)), "a number or a list").readonly(),
        ],
        `a number, or a list of names such as ["alice", "bob:tester"]`,
      )
      .transform((list): readonly Recruit[] => list)
      .describe("Teammates to start with: a number, or names with an optional role after a colon."),
  turnsPerStint: () =>
    positive().describe(
      "Model calls of one stint. Then a member reads what changed in the project and continues with its task.",
    ),
  callsPerTask: () =>
    positive().describe(
      "Model calls for a task that a person, a runbook or the lead planned, with all its attempts and the tasks that come from it; then these fail and the others continue. What belongs to no such task (the lead, members without a task, tasks that the lead adds after its plan) has as many, or a third of those of its largest plan; then the run stops with exit code 4.",
    ),
  maxMembers: () =>
    positive()
      .max(1000, "at most 1000")
      .describe("Members up to which the lead may add teammates. You may start with more."),
  taskDepth: () => positive().describe("Levels of tasks that members add below a task of the person."),
  maxTurns: () =>
    positive().describe("Model calls of one run, with all its resumes; then it stops with exit code 4."),
  deadline: () =>
    text()
      .transform(read(checkDeadline))
      .describe(
        'When a run stops with exit code 4, to be resumed: a duration such as "2h30m", or a time of day such as "18:30".',
      ),
  idleTimeoutMs: () =>
    z
      .union([duration(), z.literal("never")], `milliseconds, or "never"`)
      .transform((ms) => (ms === "never" ? Number.POSITIVE_INFINITY : ms))
      .describe(
        'How long a teammate waits for work before it shuts down, in milliseconds, or "never". In a conversation those that you asked for stay.',
      ),
  idlePollMs: () =>
    duration().describe("How often an idle member looks for work without a wake-up, in case one was lost."),
  jobWaitMs: () =>
    duration()
      .min(1_000, "1000 or more")
      .describe(
        "How long a run that nobody watches waits for background commands when every member rests; then they are ended, and their owners are told.",
      ),
  leaseMs: () =>
    duration().min(100, "100 or more").describe("How long a claim outlives the last heartbeat of its host."),
  maxAttempts: () => positive().describe("Times a task is claimed before it counts as failed."),
  shutdownDeadlineMs: () => duration().describe("How long a member may take to answer a request to stop."),
  planDeadlineMs: () =>
    duration().describe("How long a teammate waits for an answer to its plan; then it counts as rejected."),
  bashTimeoutMs: () => duration().describe("How long one command may run."),
  permissionMode: () =>
    oneOf(MODES).describe(
      "plan: only look. default: ask. accept-edits: edit files without asking. bypass: never ask.",
    ),
  permissionsTo: () =>
    oneOf(["person", "lead", "nobody"]).describe(
      "Who answers questions about permissions: you (in any terminal: ekiden answer), the lead, or nobody, which refuses them. Unset: you, if the team's process has your terminal or one has joined it.",
    ),
  questionDeadlineMs: () => duration().describe("How long a run that nobody watches waits for an answer."),
  permissionDeadlineMs: () =>
    duration().describe(
      "How long a permission question waits for an answer; then the call is refused. Unset: 5 minutes where nobody watches, else as long as the team lives.",
    ),
  allow: () => rules().describe("Calls that are allowed without asking."),
  ask: () => rules().describe("Calls that are always asked about."),
  deny: () => rules().describe("Calls that are refused, whatever else allows them."),
  budgetTokens: () =>
    positive().describe("Tokens that the whole team may use; then it stops with exit code 4."),
  budgetUsd: () =>
    dollars().describe(
      'US dollars that the whole team may spend in its life, or "none" for no limit; then it stops with exit code 4. Unset: 20 for each run, with its resumes.',
    ),
  taskBudgetUsd: () =>
    dollars().describe('US dollars for the same as `callsPerTask`, or "none" for no limit.'),
  teammateBudgetTokens: () =>
    positive().describe(
      "Tokens that each teammate may use; then it shuts down and its task goes back to the board.",
    ),
  teammateBudgetUsd: () =>
    money().describe("US dollars that each teammate may spend. Then it stops and its task goes back."),
  fallbackModel: () => text().describe("Model that is used while the main one is overloaded."),
  agentSilenceMs: () => duration().describe("How long an agent program may do nothing; then Ekiden ends it."),
  progressTimeoutMs: () =>
    duration().describe("Longest time of a reply without progress; then it is given up."),
  fallbackSilenceMs: () =>
    duration().describe("How long the main model may send nothing before `fallbackModel` is used."),
  fallbackContentMs: () =>
    duration().describe(
      "How long its reply may contain no text, thought or call before `fallbackModel` is used.",
    ),
  providerTimeoutMs: () =>
    duration().describe("How long a run without a terminal waits for a provider. Then it ends with code 3."),
  contextShare: () =>
    z
      .number("a number")
      .min(0.1, "0.1 or more")
      .max(0.95, "at most 0.95")
      .describe("Share of the model's window at which a conversation is summed up."),
  contextTokens: () =>
    positive()
      .min(2_000, "2000 or more")
      .describe("Tokens at which a conversation is summed up, if that is less than the share."),
  trimTokens: () =>
    positive()
      .min(1_000, "1000 or more")
      .describe("Tokens above which old steps and results of a conversation are sent shortened."),
  keepResults: () => count().describe("Newest results that are kept in full when others are shortened."),
  shortResult: () => positive().describe("Characters up to which an old result is never shortened."),
  notesTokens: () =>
    positive().min(256, "256 or more").describe("Maximum tokens of the notes that sum up a conversation."),
  todoReminderRounds: () =>
    positive().describe(
      "Rounds of tool calls without an update of its todo list, after which a member is reminded.",
    ),
  store: () => text().describe("Database of the team: sqlite:PATH (relative to the project) or postgres://…"),
  team: () => z.string("a name").transform(read(name)).describe("Name of the team."),
  leadMayHoldSeveralTasks: () =>
    flag().describe("Whether the lead may have several tasks in progress at once."),
  mcpServers: () =>
    z
      .record(z.string(), z.unknown(), "MCP servers by name, as in .mcp.json")
      .describe("MCP servers, by name; they come before those of the same name in .mcp.json."),
  hooks: () =>
    hookSettings().describe(
      'Your own commands at fixed points, such as { "PreToolUse": [{ "matcher": "bash", "command": "./check.sh" }] }.',
    ),
  teams: () => flag().describe("Whether the lead may create and delete other teams in the same store."),
  mailAcrossTeams: () =>
    z
      .union(
        [z.boolean(), z.array(z.string().transform(read(name)), "a list of teams").readonly()],
        "true, false, or a list of teams",
      )
      .describe(
        'Whether mail may go to members of other teams, as name@team: true, or a list such as ["backend"].',
      ),
  notify: () =>
    text().describe(
      "How you are notified, while you look elsewhere, when a question comes or long work ends: terminal (bell and notification of the terminal), off, or a command that gets the text in $EKIDEN_NOTICE.",
    ),
  planFirst: () => flagOr("auto").describe("Show the board first. auto: a large one, on a terminal."),
  worktrees: () => flagOr("auto").describe("A clone for each task. auto: where several members may write."),
  worktreeShare: () =>
    z
      .array(text(), `a list of paths such as ["node_modules"]`)
      .readonly()
      .describe("Ignored files and folders of the project that every worktree links to."),
  gate: () =>
    text().describe("Command that must succeed on the merged tree before a task lands (with worktrees)."),
  gateTimeoutMs: () => duration().describe("How long the gate may run."),
  judges: () => rules().describe("Patterns of further files that judge a change, as tests do."),
  tampering: () =>
    oneOf(TAMPERING).describe(
      "What follows where a change may make its tests or gate see less: the gate again with those of the target; the same, and a reviewer or a person must pass it; a note; or nothing.",
    ),
  gateParallel: () =>
    positive()
      .max(64, "at most 64")
      .describe(
        "Gates that may run at once, each on the target and the tasks ahead of it in the line; more than 1 needs enough cores.",
      ),
  redBase: () =>
    oneOf(RED_BASE).describe(
      "What happens when the gate fails on the target branch itself, without any task: repair (landings wait, and a task repairs it), tell (landings wait for a person), or ignore (every red gate counts against its task). Unset: repair, and tell for a runbook without a model.",
    ),
  landing: () =>
    oneOf(["fast-forward", "push", "pr"]).describe(
      "How a task lands: fast-forward moves the target branch of this repository; push moves that of `remote`; pr pushes the task's branch there and runs `prCommand`. Unset: push with `remote`, else fast-forward.",
    ),
  remote: () =>
    text().describe(
      "Git remote, a name or a URL, that all machines of the team share: tasks start from its target branch and land on it. Unset: origin, where `landing` needs one.",
    ),
  prCommand: () =>
    text().describe(
      'Command that opens a pull request, such as gh pr create --head "$EKIDEN_BRANCH" --base "$EKIDEN_TARGET" --fill; the task is completed when it succeeds.',
    ),
  targetBranch: () =>
    text().describe("Branch that tasks land on. Unset: the branch that is checked out in the project."),
  ...FORGE_FIELDS,
  exitCheck: () =>
    flag().describe("Whether a completion is held back once if nothing ran since the last edit."),
  review: () =>
    oneOf(REVIEWS).describe(
      "Which tasks an independent agent judges before they are completed: none, those with the line `Review: yes` (asked), or all.",
    ),
  reviewRounds: () =>
    z
      .int("a whole number")
      .min(1)
      .max(REFUSALS_MAX, `a number from 1 to ${REFUSALS_MAX}`)
      .describe(
        "How often a review may have remarks in one attempt at a task; then the task fails with them.",
      ),
  checks: () =>
    z
      .record(z.string(), text(), "an object of patterns and commands")
      .describe('Commands that run after an edit of a matching file, such as { "*.ts": "tsc --noEmit" }.'),
  memory: () =>
    flag().describe(
      "Whether members note at the end of a stint what will help later (one short model call).",
    ),
  sandbox: () =>
    oneOf(SANDBOX_MODES).describe(
      "auto: commands are confined where a sandbox is available. required: without one they do not run.",
    ),
  commandProcesses: () =>
    positive()
      .max(100_000, "at most 100000")
      .describe("Processes that a confined command may have at once; with more it is ended."),
  commandMemoryMb: () =>
    positive()
      .min(64, "64 or more")
      .describe(
        "Megabytes of memory of all processes of a confined command; with more it is ended. Unset: three quarters of what the machine has.",
      ),
  commandFileMb: () =>
    positive()
      .max(1_000_000, "at most 1000000")
      .describe("Maximum size in megabytes of a file that a confined command writes."),
  freeDiskMb: () =>
    count().describe(
      "Megabytes that a confined command must leave free on the disks of its workspace and of temporary files; with less it is ended.",
    ),
  confinedCommands: () =>
    oneOf(["run", "ask"]).describe(
      "run: a command in the sandbox needs permission only to leave it: for a host, a path outside, a protected file. ask: as without a sandbox.",
    ),
  commandEnv: () =>
    z
      .array(text(), 'a list of names such as ["MY_FLAG", "MY_*"]')
      .readonly()
      .describe("Further variables of your environment that commands get, by name or as NAME_*."),
};

export const SETTING_KEYS = Object.keys(FIELDS) as SettingKey[];

/** The schema of one setting: the schemas of all take longer to make than most commands run. */
export const settingShape = (key: SettingKey): z.ZodType => FIELDS[key]();

export const aboutSetting = (key: SettingKey): string => settingShape(key).description ?? "";

/** The settings of one source (a file, the environment, the flags): any of them, and nothing else. */
export const settingsLayer = lazy(
  (): z.ZodType<SettingsLayer> =>
    z.strictObject(Object.fromEntries(SETTING_KEYS.map((key) => [key, settingShape(key)]))).partial(),
);
