/** Composes a member from its features. This list is the order of the sections of its prompt and of the wraps around its calls. */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Conversation } from "../../core/conversation/conversation.ts";
import type { Name } from "../../core/ids.ts";
import type { MemberKind, Profile, Seat } from "../../core/member.ts";
import { roleNamed } from "../../core/project/role.ts";
import type { Delta, Model, Shell, TeamControl, Tool } from "../../ports/index.ts";
import { ActivityWriter } from "../../runtime/agent/activity.ts";
import type { Agent } from "../../runtime/agent/agent.ts";
import { collect, EMPTY } from "../../runtime/agent/feature.ts";
import { MemberHooks } from "../../runtime/hooks/member-hooks.ts";
import type { MemberLoop } from "../../runtime/member/member-loop.ts";
import type { ProviderTimeout } from "../../runtime/team/provider-timeout.ts";
import type { Spool } from "../../runtime/wraps/result-size.ts";
import { boardTools, fileTools, rosterTools, specOf } from "../../tools/index.ts";
import { compaction } from "./features/compaction.ts";
import { hookedCalls } from "./features/hooks.ts";
import { identity } from "./features/identity.ts";
import { jobs } from "./features/jobs.ts";
import { landing } from "./features/landing.ts";
import { lostClaims } from "./features/lost-claim.ts";
import { mail } from "./features/mail.ts";
import { mcp } from "./features/mcp.ts";
import { memory } from "./features/memory.ts";
import { permissions } from "./features/permissions.ts";
import { planApproval } from "./features/plan-approval.ts";
import { projectRules } from "./features/project-rules.ts";
import { resultSize } from "./features/result-size.ts";
import { roles } from "./features/roles.ts";
import { schedules } from "./features/schedules.ts";
import { skills } from "./features/skills.ts";
import { subagents } from "./features/subagents.ts";
import { teamList } from "./features/team-list.ts";
import { teams } from "./features/teams.ts";
import { telemetry } from "./features/telemetry.ts";
import { todos } from "./features/todos.ts";
import { worktrees } from "./features/worktrees.ts";
import { type MemberModels, warnUnpriced } from "./member-models.ts";
import type { Parts } from "./parts.ts";
import { openProjectFiles } from "./project-files.ts";
import type { MakeFeature, Setup } from "./setup.ts";
import type { HostOptions } from "./team-host.ts";

/** A capability that consists of tools alone. */
const onlyTools =
  (tools: Readonly<Record<MemberKind, readonly Tool[]>>): MakeFeature =>
  ({ profile: { kind } }) => ({ tools: () => tools[kind] });

export const FEATURES: readonly MakeFeature[] = [
  identity,
  teamList,
  onlyTools({ lead: fileTools, teammate: fileTools }),
  onlyTools(boardTools),
  mail,
  onlyTools(rosterTools),
  schedules,
  teams,
  jobs,
  planApproval, // outside of worktrees: a refused call needs no worktree
  lostClaims,
  worktrees, //    outside of permissions and hooks: they see the folder in which the call will run
  permissions, //  outside of hooks: a hook cannot override a deny
  hookedCalls, //  outside of landing: nothing lands that a hook refuses
  landing,
  resultSize,
  projectRules,
  roles,
  skills,
  memory,
  todos,
  subagents,
  compaction,
  mcp,
  telemetry,
];

/** What this process has for all members. */
export type Crew = Pick<
  Setup,
  "parts" | "onCost" | "onDeleteTeam" | "questions" | "permissionPolicy" | "memory"
> & {
  readonly providerTimeout: ProviderTimeout | undefined;
  readonly onDelta: ((who: Name, delta: Delta) => void) | undefined;
  readonly onOutput?: HostOptions["onOutput"];
  /** Absent: the models of members stay as they start. */
  readonly models?: MemberModels;
  /** Warnings that were given already. */
  readonly reported: Set<string>;
};

export async function composeAgent(
  crew: Crew,
  profile: Profile,
  seat: Seat,
  team: TeamControl,
  life: () => MemberLoop | undefined,
  makers: readonly MakeFeature[] = FEATURES,
): Promise<Agent> {
  const { parts, onDelta, onOutput, reported, models } = crew;
  const { store, settings, workspace } = parts;
  const { name, kind } = profile;
  const [entries, files] = await Promise.all([
    store.transcript.current(name),
    openProjectFiles(store.journal, reported, workspace, parts.userFolder),
  ]);
  const modelOf = (one: Omit<Profile, "kind">): Promise<Model> => {
    const role = roleNamed(files.library.roles, one.role);
    const ofRole = role && parts.trust.mayChooseModel(role.source) ? role.model : "";
    return parts.model(models?.chosen ?? (one.model || ofRole || settings.model));
  };
  const ofLead = models?.chosen === undefined && kind === "lead" && !profile.model && settings.leadModel;
  const [chosen, fallback] = await Promise.all([
    ofLead ? parts.model(ofLead) : modelOf(profile),
    settings.fallbackModel ? parts.model(settings.fallbackModel) : undefined,
  ]);
  const model = models?.attach(name, chosen) ?? chosen;
  await warnUnpriced(parts, reported, fallback ? [model, fallback] : [model]);
  const conversation = new Conversation(entries);
  const hooks = new MemberHooks(parts.hooks, store, profile);
  const spool = spoolTo(parts);
  const setup: Setup = {
    ...crew,
    profile,
    model,
    conversation,
    entries,
    spool,
    hooks,
    files,
  };
  const made = await Promise.all(makers.map((make) => make(setup)));
  const features = made.filter((feature) => feature !== null);
  const agent: Agent = {
    seat,
    kind,
    store,
    clock: parts.clock,
    shell: heard(parts, name, onOutput),
    jobs: parts.jobs,
    team: {
      spawn: async (one) => {
        await modelOf(one); // an unknown model refuses the spawn before anybody joins
        await team.spawn(one);
      },
      askToStop: (...asked) => team.askToStop(...asked),
    },
    secrets: parts.secrets,
    keepImage: async (image) =>
      await (await import("../../adapters/images.ts")).keepImage(parts.outputDir, image),
    workspace,
    workspaceOf: features.find((feature) => feature.workspaceOf)?.workspaceOf,
    commandTimeoutMs: settings.bashTimeoutMs,
    model,
    fallback,
    features,
    loadout: EMPTY,
    specOf,
    activity: new ActivityWriter(store, seat, entries.length === 0),
    conversation,
    about: () => life()?.task ?? null,
    context: settings,
    spool,
    hooks,
    isFresh: () => team.lease?.isFresh !== false,
    providerTimeout: crew.providerTimeout,
    onDelta: onDelta && ((delta) => onDelta(name, delta)),
  };
  await collect(agent);
  return agent;
}

/** A shell whose commands are heard while they print. */
const heard = ({ shell, liveOutput }: Parts, name: Name, onOutput: HostOptions["onOutput"]): Shell => ({
  ...shell,
  async run(command, options) {
    const tail = liveOutput.begin(name, command);
    try {
      return await shell.run(command, {
        ...options,
        onOutput: (chunk) => {
          tail.add(chunk);
          onOutput?.(name, command, chunk.toString("utf8"));
        },
      });
    } finally {
      tail.end();
    }
  },
});

const spoolTo =
  ({ outputDir, secrets }: Pick<Setup["parts"], "outputDir" | "secrets">): Spool =>
  async (label, text) => {
    await mkdir(outputDir, { recursive: true, mode: 0o700 });
    const path = join(outputDir, `${label.replace(/[^\w.-]+/g, "_").slice(0, 80)}.txt`);
    await rm(path, { force: true }); // an earlier one, or a link
    await writeFile(path, secrets.redact(text), { mode: 0o600, flag: "wx" });
    return path;
  };
