/** Composes a member from its features. This list is the order of the sections of its prompt and of the wraps around its calls. */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { MemberKind, Profile, Seat } from "../core/board/member.ts";
import { Conversation } from "../core/conversation/conversation.ts";
import { whoIs } from "../core/conversation/prompt.ts";
import { badInput } from "../core/errors.ts";
import { LEAD, type Name } from "../core/ids.ts";
import type { Mode } from "../core/permission/mode.ts";
import { type Role, roleNamed } from "../core/project/role.ts";
import { agentLine } from "../core/settings/agent-line.ts";
import { splitEffort } from "../core/settings/effort.ts";
import { isStrong } from "../core/settings/models.ts";
import type { Delta, Model, TeamControl, Tool } from "../ports/index.ts";
import { ActivityWriter } from "../runtime/agent/activity.ts";
import type { Agent, BoardHold, Feature } from "../runtime/agent/agent.ts";
import { collect, EMPTY } from "../runtime/agent/feature.ts";
import { MemberHooks } from "../runtime/hooks/member-hooks.ts";
import type { MemberLoop } from "../runtime/member/member-loop.ts";
import type { ProviderTimeout } from "../runtime/team/provider-timeout.ts";
import type { Stagger } from "../runtime/turn/stagger.ts";
import type { Spool } from "../runtime/wraps/result-size.ts";
import { boardTools, fileTools, rosterTools, specOf } from "../tools/index.ts";
import { checkpoints, landingCheckpoint } from "./features/checkpoints.ts";
import { editChecks, exitCheck } from "./features/exit-check.ts";
import { forge } from "./features/forge.ts";
import { landing } from "./features/landing.ts";
import { mcp } from "./features/mcp.ts";
import { memory } from "./features/memory.ts";
import { notes } from "./features/notes.ts";
import { planRemarks } from "./features/plan-remarks.ts";
import { review } from "./features/review.ts";
import { small } from "./features/small.ts";
import { subagents } from "./features/subagents.ts";
import { web } from "./features/web.ts";
import { heardShell, heardWithout } from "./heard.ts";
import type { HostedModel } from "./hosted/hosted-model.ts";
import { effortNote, memberEffort, thinking } from "./models/member-effort.ts";
import { type MemberModels, warnUnpriced } from "./models/member-models.ts";
import { lastingModel } from "./models/usual-models.ts";
import type { Parts } from "./parts.ts";
import { openProjectFiles, warnOnce } from "./project-files.ts";
import type { MakeFeature, Setup } from "./setup.ts";
import type { HostOptions } from "./team-host.ts";

/** A capability that consists of tools alone. */
const onlyTools =
  (tools: Readonly<Record<MemberKind, readonly Tool[]>>): MakeFeature =>
  ({ profile: { kind } }) => ({ tools: () => tools[kind] });

export const FEATURES: readonly MakeFeature[] = [
  small.guidance,
  small.teamList,
  onlyTools({ lead: fileTools, teammate: fileTools }),
  small.patches,
  web,
  onlyTools(boardTools),
  small.mail,
  small.questions,
  onlyTools(rosterTools),
  small.schedules,
  small.teams,
  small.jobs,
  small.planApproval, // outside of worktrees: a refused call needs no worktree
  small.lostClaims,
  small.taskDepth,
  exitCheck, // outside of worktrees and hooks: a completion that is held back costs nothing
  small.worktrees, //    outside of permissions and hooks: they see the folder in which the call will run
  small.taskCheck, //    outside of permissions and hooks: its command is judged as any other
  small.permissions, //  outside of hooks: a hook cannot override a deny
  checkpoints, //  inside of permissions: only what runs; outside of hooks: they may change the files again
  small.hooks, //  outside of landing: nothing lands that a hook refuses
  review, //       inside of hooks, outside of landing: what it approves is what lands
  landingCheckpoint,
  landing,
  forge,
  small.resultSize,
  editChecks,
  small.projectRules,
  small.roles,
  small.skills,
  memory,
  notes,
  planRemarks,
  small.todos,
  small.progress,
  subagents,
  small.compaction,
  mcp,
  small.telemetry,
  small.identity,
];

/** The parts that this process has for all members. */
export type Crew = Pick<
  Setup,
  "parts" | "onCost" | "noteOfLimit" | "onDeleteTeam" | "questions" | "permissionPolicy" | "memory" | "web"
> & {
  readonly providerTimeout: ProviderTimeout | undefined;
  readonly onDelta: ((who: Name, delta: Delta) => void) | undefined;
  readonly onOutput?: HostOptions["onOutput"];
  /** The permission mode now. */
  readonly mode: () => Mode;
  /** Absent: the models of members stay as they start. */
  readonly models?: MemberModels;
  /** The runbook that this process runs. */
  readonly runbook?: () => string | undefined;
  /** Warnings that were given already. */
  readonly reported: Set<string>;
  readonly stagger: Stagger;
  readonly hold?: BoardHold;
};

export async function composeAgent(
  crew: Crew,
  profile: Profile,
  seat: Seat,
  team: TeamControl,
  life: () => MemberLoop | undefined,
  makers: readonly MakeFeature[] = FEATURES,
): Promise<Agent> {
  const { parts, onDelta, onOutput, reported } = crew;
  const { store, settings, workspace } = parts;
  const [entries, files] = await Promise.all([
    store.transcript.current(profile.name),
    openProjectFiles(store.journal, reported, workspace, parts.userFolder, parts.trust),
  ]);
  const { model, fallback, program, control } = await modelsOf(crew, profile, files, team, life);
  const conversation = new Conversation(entries);
  const hooks = new MemberHooks(parts.hooks, store, profile);
  const setup: Setup = {
    ...crew,
    // An agent program keeps its own memory, and limits its own conversation.
    ...(program && { parts: { ...parts, settings: { ...settings, memory: false } } }),
    ...{ profile, model, conversation, entries, hooks, files, spool: spoolTo(parts) },
  };
  const features = await featuresOf(makers, setup, program);
  const agent: Agent = {
    seat,
    kind: profile.kind,
    store,
    clock: parts.clock,
    shell: heardShell(parts, profile.name, onOutput),
    jobs: parts.jobs,
    team: control,
    secrets: parts.secrets,
    keepImage: keepImageIn(parts),
    workspace,
    workspaceOf: features.find((feature) => feature.workspaceOf)?.workspaceOf,
    readPdf: async (...asked) => (await import("../adapters/pdf.ts")).readPdf(...asked),
    commandTimeoutMs: settings.bashTimeoutMs,
    model,
    fallback,
    features,
    loadout: EMPTY,
    specOf,
    activity: new ActivityWriter(store, seat, entries.length === 0),
    ...{ conversation, hold: crew.hold },
    runbook: crew.runbook,
    logins: () => parts.agents.standings.of(profile.name, parts.clock),
    identity: whoIs({ ...profile, team: store.team }),
    about: () => life()?.task ?? null,
    context: program ? { ...settings, contextTokens: undefined } : settings,
    spool: setup.spool,
    hooks,
    providerTimeout: crew.providerTimeout,
    siblings: siblingsOf(crew, team, profile.name),
    onDelta: (delta) => onDelta?.(profile.name, delta),
  };
  await collect(agent);
  return agent;
}

const featuresOf = async (
  makers: readonly MakeFeature[],
  setup: Setup,
  program: HostedModel | null,
): Promise<Feature[]> => [
  ...(await Promise.all(makers.map((make) => make(setup)))).filter((feature) => feature !== null),
  ...(program ? [(await import("./features/agent-program.ts")).agentProgram(program)] : []),
];

const keepImageIn =
  ({ outputDir }: Parts): Agent["keepImage"] =>
  async (image) =>
    await (await import("../adapters/images.ts")).keepImage(outputDir, image);

const siblingsOf = ({ stagger, parts }: Crew, team: TeamControl, name: Name): Agent["siblings"] => ({
  enter: (...asked) => stagger.enter(...asked),
  areHere() {
    const others = (team.names ?? []).filter((one) => one !== LEAD && one !== name);
    return Math.max(parts.settings.teammates?.length ?? 0, others.length + 1) > 1;
  },
});

/** The models of a member, and how it adds others, whose models are chosen in the same way. */
async function modelsOf(
  { parts, reported, models, mode }: Crew,
  profile: Profile,
  files: Setup["files"],
  team: TeamControl,
  life: () => MemberLoop | undefined,
): Promise<Pick<Agent, "model" | "fallback"> & { program: HostedModel | null; control: TeamControl }> {
  const { store, settings } = parts;
  const { name, kind } = profile;
  const roleOf = ({ role }: Pick<Profile, "role">): Role | null => roleNamed(files.library.roles, role);
  const { ofNew } = parts.models;
  const lineOf = (one: Pick<Profile, "role" | "model">, lead = ""): ReturnType<typeof agentLine> =>
    agentLine(lastingModel(one.model) || roleOf(one)?.model || lead || (models?.chosen ? "" : ofNew));
  const line = lineOf(profile, kind === "lead" ? settings.lead : "");
  const program = line && (await parts.agents.open(profile, line, parts, () => life()?.task ?? null));
  const modelOf = async (one: Omit<Profile, "kind">): Promise<Model> => {
    const own = one.model.startsWith("@") ? "" : lastingModel(one.model);
    return await parts.models.open(models?.chosen ?? (own || roleOf(one)?.model || settings.model));
  };
  const effortOf = memberEffort({
    ...{ store, settings, profile, mode },
    own: splitEffort(profile.model).effort,
    ofRole: roleOf(profile)?.effort,
    task: () => life()?.task ?? null,
    chosen: (who) => models?.chosenEffort(who),
  });
  const ofLead =
    models?.chosen === undefined && kind === "lead" && !lastingModel(profile.model) && settings.lead;
  const [chosen, fallback] = await Promise.all([
    program ?? (ofLead ? parts.models.open(ofLead) : modelOf(profile)),
    settings.fallbackModel && !program
      ? parts.models.open(settings.fallbackModel).then((one) => heardWithout(parts, name, one))
      : undefined,
  ]);
  if (!program && kind === "teammate")
    parts.agents.standings.join(name, {
      login: ("account" in chosen ? chosen.account : undefined) ?? chosen.spec,
      isStrong: isStrong(chosen.spec, settings.models),
      windows: () => [], // a provider names a window only when it is used up
    });
  const attached = program ?? models?.attach(name, chosen, effortOf) ?? chosen;
  const model = thinking(heardWithout(parts, name, attached), effortOf);
  await warnUnpriced(parts, reported, fallback ? [model, fallback] : [model]);
  const note = effortNote(model.spec, await effortOf(), settings.models);
  if (note !== "") await warnOnce(store.journal, reported, [note]);
  const control: TeamControl = {
    spawn: async (one) => {
      await checkRoom(parts);
      const asked = lineOf(one);
      if (asked) await parts.agents.check(asked, one.model !== "", parts);
      else await modelOf(one); // an unknown model refuses the spawn before anybody joins
      await team.spawn(one);
    },
    askToStop: (...asked) => team.askToStop(...asked),
    ...(team.lease && { lease: team.lease }),
  };
  return { model, fallback: fallback && thinking(fallback, effortOf), program, control };
}

/** @throws EkidenError `bad_input` when the team has as many members as the settings allow */
async function checkRoom({ store, settings: { maxMembers } }: Parts): Promise<void> {
  const members = (await store.roster.members()).filter(({ activity }) => activity.phase !== "shutdown");
  if (members.length < maxMembers) return;
  throw badInput(
    `The team has ${members.length} members, and the limit is ${maxMembers} (setting maxMembers). Give the work to the existing ones: ${members
      .slice(0, 20)
      .map(({ name }) => name)
      .join(", ")}.`,
  );
}

const spoolTo =
  ({ outputDir, secrets }: Pick<Setup["parts"], "outputDir" | "secrets">): Spool =>
  async (label, text) => {
    await mkdir(outputDir, { recursive: true, mode: 0o700 });
    const path = join(outputDir, `${label.replace(/[^\w.-]+/g, "_").slice(0, 80)}.txt`);
    await rm(path, { force: true }); // an earlier one, or a link
    await writeFile(path, secrets.redact(text), { mode: 0o600, flag: "wx" });
    return path;
  };
