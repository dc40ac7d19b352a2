/** The features that are a few lines. A larger one has a file of its own. */
import { worktreeRules } from "../../core/board/worktree.ts";
import { heard } from "../../core/conversation/chat.ts";
import { readsProse } from "../../core/conversation/compaction.ts";
import { lastClaim } from "../../core/conversation/lost-claim.ts";
import { guidance, identity, PLANS_FIRST, whoIs } from "../../core/conversation/prompt.ts";
import { TodoWatch } from "../../core/conversation/todo.ts";
import { applyRole, roleCatalogue, roleNamed, rolePrompt } from "../../core/project/role.ts";
import { skillCatalogue } from "../../core/project/skill.ts";
import { capabilitiesOf } from "../../core/settings/models.ts";
import { mayMail, type Settings } from "../../core/settings/settings.ts";
import { LISTED, membersLine } from "../../core/views/identity.ts";
import type { Tool } from "../../ports/index.ts";
import type { Feature } from "../../runtime/agent/agent.ts";
import { permitted } from "../../runtime/agent/call.ts";
import { untilClaimed } from "../../runtime/wraps/held-claim.ts";
import { hookedCalls } from "../../runtime/wraps/hooked-calls.ts";
import { planGate } from "../../runtime/wraps/plan-approval.ts";
import { budgeted } from "../../runtime/wraps/result-size.ts";
import { checkedTasks } from "../../runtime/wraps/task-check.ts";
import { depthLimit } from "../../runtime/wraps/task-depth.ts";
import { followRemote, inWorktrees, park } from "../../runtime/wraps/worktrees.ts";
import { bash } from "../../tools/bash.ts";
import { compact } from "../../tools/compact.ts";
import { patchTool } from "../../tools/files/apply-patch.ts";
import { cronTools, jobTools, mailTools, planTools, teamsTools } from "../../tools/index.ts";
import { reviewPermission } from "../../tools/permissions.ts";
import { skillTools } from "../../tools/skill.ts";
import { askPerson } from "../../tools/team/ask-person.ts";
import { sendMessageAcross } from "../../tools/team/mail.ts";
import { readTranscript } from "../../tools/team/transcript.ts";
import { worktreeTools } from "../../tools/team/worktree.ts";
import { todoWrite } from "../../tools/todo.ts";
import { WATCHED_MS } from "../permission/permission-questions.ts";
import type { MakeFeature, Setup } from "../setup.ts";

/** A hook does not hold up the start of a member for longer, whatever its own timeout. */
const HOOKS_MS = 60_000;
/** A stint does not wait longer than this for a remote that does not answer. */
const REFRESH_MS = 20_000;

/** The same tools for a whole life: a stint compares them with those of the last one. */
const withTools = (tools: ReturnType<NonNullable<Feature["tools"]>>): Feature => ({ tools: () => tools });

type Todos = Pick<Setup, "entries"> & {
  readonly parts: { readonly settings: Pick<Settings, "todoReminderRounds"> };
};

export const small = {
  /** The agent's guidance and place of work: the head of its system prompt, and what the project has. */
  guidance: async ({ parts: { surroundings }, profile, model }) => {
    let seen = await surroundings(model);
    return {
      refresh: async () => {
        seen = await surroundings(model);
      },
      sections: () => [
        { place: "system", about: "", text: guidance(profile.kind, seen.environment) },
        { place: "shared", about: "", text: seen.project },
      ],
    };
  },
  /** The other members, in a line of a teammate's prompt: it must know whom it can write to. The lead has a tool that says more. */
  teamList: async ({ parts: { store, coming }, profile }) => {
    if (profile.kind === "lead") return null;
    let line = "";
    // The name of a role is a text of the project: anything may be in it.
    let isOfProgram = true;
    const refresh = async (): Promise<void> => {
      const { first, total } = await store.roster.teammates(LISTED + 1);
      const late = [...coming.values()].filter((one) => first.every(({ name }) => name !== one.name));
      const all = [...first, ...(first.length > LISTED ? [] : late)];
      line = membersLine(all, total + late.length, profile.name);
      isOfProgram = all.every(({ role }) => role === "");
    };
    await refresh();
    return {
      refresh,
      sections: () => [
        { place: "own", about: "team", text: line, ...(isOfProgram && { ofProgram: true as const }) },
      ],
    };
  },
  /** Mail between members, and to other teams where the settings allow it. */
  mail: ({ parts: { settings }, profile }) => {
    const across =
      settings.mailAcrossTeams === false ? [] : [sendMessageAcross((team) => mayMail(settings, team))];
    return withTools([...mailTools[profile.kind], ...across]);
  },
  /** Questions to the person. Where nobody watches, a question has a limit; else it waits as long as the team lives. */
  questions: ({ parts: { settings }, questions: { isWatched } }) =>
    withTools([askPerson(isWatched ? WATCHED_MS : settings.questionDeadlineMs)]),
  /** Cron jobs, for the lead. */
  schedules: ({ profile }) => (profile.kind === "lead" ? withTools(Object.values(cronTools)) : null),
  /** Teams in the same store, for a lead that may create and delete them. */
  teams: ({ parts: { settings }, profile, onDeleteTeam }) =>
    profile.kind === "lead" && settings.teams
      ? withTools([teamsTools.create, teamsTools.delete(onDeleteTeam)])
      : null,
  /** Background commands: a member can look after its own, the lead after everybody's. */
  jobs: () => withTools(jobTools),
  /** Plan approval: the gate, and its tools. A member may also plan when it was not asked to, and the lead may ask at any time. */
  planApproval: ({ parts: { settings }, profile }) => ({
    ...withTools(
      profile.kind === "teammate"
        ? [planTools.submit(settings.planDeadlineMs)]
        : [planTools.request, planTools.review],
    ),
    sections: () => [{ place: "own", about: "", text: profile.needsPlan ? PLANS_FIRST : "" }],
    wrap: planGate(profile),
  }),
  /** For a member whose claim was taken from it, by an order or because its process was not heard of. */
  lostClaims: ({ conversation, profile }) =>
    profile.kind === "teammate"
      ? { wrap: untilClaimed(() => lastClaim(conversation.whole)?.isLost === true) }
      : null,
  /** Tasks that members add have a depth. */
  taskDepth: ({ parts: { settings } }) => ({ wrap: depthLimit(settings.taskDepth) }),
  /** Patches as the form of edits, for models whose line in the table of models says so. */
  patches: ({ model: { spec }, parts: { settings } }) =>
    withTools([patchTool(capabilitiesOf(spec, settings.models?.[spec]).patch !== "edit")]),
  /** The command that proves a task runs at its first call and at its completion. */
  taskCheck: ({ parts: { settings, store, trees }, profile, model }) => ({
    wrap: checkedTasks({
      shell: bash as Tool<{ command: string }>,
      isHeard: readsProse(model.window),
      timeoutMs: settings.gateTimeoutMs,
      othersRun: async () => {
        if (trees) return false;
        const [all, own] = await Promise.all([store.jobs.running(null), store.jobs.running(profile.name)]);
        return all > own;
      },
    }),
  }),
  /** The policy decides about every call, and a lead that answers for the person has the tool for it. */
  permissions: ({ parts: { settings }, profile, permissionPolicy }) => ({
    wrap: permitted(permissionPolicy),
    ...(profile.kind === "lead" && settings.permissionsTo === "lead" && { tools: () => [reviewPermission] }),
  }),
  /** The person's hooks: around calls, and at the start of a session, where they may add a section. */
  hooks: async ({ parts, profile, entries, hooks }) => {
    const source = entries.length === 0 ? "startup" : "resume";
    const text = await hooks.start(source, AbortSignal.timeout(HOOKS_MS));
    return {
      sections: () => [{ place: "own", about: "hooks", text }],
      wrap: hookedCalls(parts.hooks, profile),
    };
  },
  /** A worktree for each task: calls run in it, and it is the workspace of the member that has the task. */
  worktrees: ({ parts: { trees, store }, profile }) => {
    if (!trees) return null;
    const isLead = profile.kind === "lead";
    const tools = worktreeTools(trees, isLead);
    const parkOwn = (signal: AbortSignal): Promise<void> => park(trees, store, profile.name, signal);
    return {
      ...withTools(tools),
      refresh: () => {
        const limit = AbortSignal.timeout(REFRESH_MS);
        return isLead ? followRemote(trees, store, limit) : parkOwn(limit);
      },
      sections: () => [{ place: "system", about: "", text: worktreeRules(trees.onto, trees.gate) }],
      wrap: inWorktrees(trees),
      workspaceOf: (task) => trees.workspaceOf(task),
      onStintEnd: (_agent, signal) => parkOwn(signal),
      ...(trees.remoteLabel !== null && { beforeRelease: parkOwn }),
    };
  },
  /** With worktrees, a task is completed only when its branch has landed. */
  /** A result that is too long for the window of the model goes to a file that the member can read. */
  resultSize: ({ parts: { outputDir }, model, spool }) => ({
    wrap: budgeted(model.window, spool),
    readable: () => [outputDir],
  }),
  /** The rules of the project (AGENTS.md), and the reading of all its files for agents before each stint. */
  projectRules: ({ files }: Pick<Setup, "files">): Feature => ({
    refresh: () => files.refresh(),
    sections: () => [{ place: "shared", about: "rules", text: files.library.rules }],
  }),
  /** A role gives a member a section and leaves it only some tools. The lead gets the catalogue. */
  roles: ({ files, profile: { kind, role } }: Pick<Setup, "files" | "profile">): Feature => {
    const own = () => roleNamed(files.library.roles, role);
    return {
      sections: () => [
        { place: "own", about: "roles", text: kind === "lead" ? roleCatalogue(files.library.roles) : "" },
        { place: "own", about: "role", text: rolePrompt(own()) },
      ],
      narrow: (tools) => applyRole(own(), tools),
    };
  },
  /** A catalogue of the skills in the prompt, the tool that reads one, and their folders. */
  skills: ({ files }: Pick<Setup, "files">): Feature => ({
    sections: () => [{ place: "shared", about: "skills", text: skillCatalogue(files.library.skills) }],
    tools: () => skillTools(() => files.library.skills),
    readable: () => files.library.skills.map(({ folder }) => folder),
  }),
  /** A member's own list of steps: it is reminded of an old list, and a summary keeps it. */
  todos: ({ entries, parts: { settings } }: Todos): Feature => {
    const watch = new TodoWatch(entries, settings.todoReminderRounds);
    return {
      tools: () => [todoWrite],
      afterRound: (round) => watch.afterRound(round),
      pinned: () => watch.carried,
    };
  },
  /** A member is told when its work comes near a limit, and the hint of a look at it. */
  progress: ({ profile, noteOfLimit }: Pick<Setup, "profile" | "noteOfLimit">): Feature => ({
    afterRound: () => {
      const note = noteOfLimit(profile.name);
      return note === null ? null : heard(note);
    },
  }),
  /** The tool by which a member requests a summary of a long conversation. `Context` sums up without it when it must. */
  compaction: ({ conversation }) => withTools([compact(() => conversation.size), readTranscript]),
  /** Exports the work of this member as spans and metrics, where OpenTelemetry's variables name a receiver. */
  telemetry: ({ parts, profile }) => {
    parts.telemetry?.hosts(profile.name);
    return null;
  },
  /** The last that a conversation begins with, so that all before it is the same for the other members. */
  identity: ({ parts: { store }, profile }) => {
    const text = identity(whoIs({ ...profile, team: store.team }));
    return { sections: () => [{ place: "own", about: "", text }] };
  },
} satisfies Readonly<Record<string, MakeFeature>>;
