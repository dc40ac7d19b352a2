/**
 * What a member has beyond the tools of its kind: project rules, a role, skills, memory, a todo list, subagents. Read from disk
 * before each stint and then left alone, so that prompt and tools do not change while a provider caches them.
 */
import { type Library, loadLibrary } from "../../adapters/disk/library.ts";
import type { MemoryFolder } from "../../adapters/disk/memory.ts";
import type { Entry } from "../../core/conversation/chat.ts";
import { TodoWatch } from "../../core/conversation/todo.ts";
import type { Name } from "../../core/ids.ts";
import { memorySection } from "../../core/project/memory.ts";
import { applyRole, roleCatalogue, roleNamed, rolePrompt } from "../../core/project/role.ts";
import { skillCatalogue } from "../../core/project/skill.ts";
import type { Model, Tool, ToolSpec } from "../../ports/index.ts";
import type { Agent } from "../../runtime/agent/agent.ts";
import { reflection } from "../../runtime/turn/reflection.ts";
import { subagents } from "../../runtime/turn/subagent.ts";
import { memoryTools } from "../../tools/memory.ts";
import { skillTools } from "../../tools/skill.ts";
import { specOf } from "../../tools/spec.ts";
import { taskTool } from "../../tools/subagent.ts";
import { todoWrite } from "../../tools/todo.ts";

/** One for all members that a process hosts. */
export type Kit = {
  /** The project, absolute and without symlinks; not a task's worktree. */
  readonly project: string;
  /** Ekiden's folder in the person's configuration. */
  readonly userFolder?: string | undefined;
  readonly memory: MemoryFolder;
  /** Whether members note by themselves what they learned (the setting `memory`). */
  readonly notes: boolean;
  readonly model: (spec: string) => Promise<Model>;
  /** For budgets: what subagents and reflection cost their member, call by call. */
  readonly onCost?: (who: Name, tokens: number, usd: number) => void;
  /** Files that could not be used and were told of already. */
  readonly told: Set<string>;
};

export type Equipped = {
  /** Its role; "" for none. */
  readonly role: string;
  /** It was given a model of its own, which its role's does not replace. */
  readonly hasOwnModel: boolean;
  /** Its transcript from the last summary on. */
  readonly entries: readonly Entry[];
};

type Outfit = {
  readonly library: Library;
  readonly sections: readonly string[];
  readonly tools: readonly Tool[];
};

/** `agent` as its kind has it; what comes back reads like it, and has everything else. */
export async function equip(
  agent: Agent,
  kit: Kit,
  { role, hasOwnModel, entries }: Equipped,
): Promise<Agent> {
  const { seat } = agent;
  const delegate = subagents({
    model: (spec) => (spec ? kit.model(spec) : Promise.resolve(agent.model)),
    specOf,
    run: agent.run,
    get tools() {
      return now.tools;
    },
    get sections() {
      return [now.library.rules, skillCatalogue(now.library.skills)].filter(Boolean);
    },
    get roles() {
      return now.library.roles;
    },
    onTurn: (of, { tokens, usd }) => kit.onCost?.(of, tokens, usd),
    finish: (made) => ({
      ...made,
      fallback: agent.fallback,
      context: agent.context,
      spool: agent.spool,
      providerTimeout: agent.providerTimeout,
    }),
  });

  const outfit = async (): Promise<Outfit> => {
    const [library, hasMemory, index] = await Promise.all([
      loadLibrary(kit.project, kit.userFolder),
      kit.memory.exists(),
      kit.memory.index(),
    ]);
    await tellProblems(agent, kit, library);
    const own = roleNamed(library.roles, role);
    return {
      library,
      sections: [
        library.rules,
        rolePrompt(own),
        skillCatalogue(library.skills),
        agent.kind === "lead" ? roleCatalogue(library.roles) : "",
        memorySection(index),
      ].filter(Boolean),
      tools: applyRole(own, [
        ...agent.tools.values(),
        todoWrite,
        taskTool(delegate, library.roles),
        ...skillTools(() => library.skills),
        ...(hasMemory || kit.notes ? memoryTools(kit.memory, !hasMemory) : []),
      ]),
    };
  };

  let now = await outfit();
  const ofRole = roleNamed(now.library.roles, role)?.model;
  const model = ofRole && !hasOwnModel ? await kit.model(ofRole) : agent.model;
  const lasting = lazily(() => now);
  const reflect = kit.notes
    ? reflection(kit.memory, agent.conversation, (tokens, usd) => kit.onCost?.(seat.name, tokens, usd))
    : null;
  const equipped: Agent = {
    ...agent,
    model,
    get system() {
      return [agent.system, ...now.sections].join("\n\n");
    },
    get tools() {
      return lasting().tools;
    },
    get specs() {
      return lasting().specs;
    },
    get readable() {
      return [...agent.readable, ...now.library.skills.map(({ folder }) => folder)];
    },
    todos: new TodoWatch(entries),
    beginStint: async () => {
      await agent.beginStint?.();
      now = await outfit();
    },
    ...(reflect && { endStint: (signal) => reflect(equipped, signal) }),
  };
  return equipped;
}

/** Tools and their specs, made once an outfit: sizes and provider caches go by identity. */
function lazily(
  outfit: () => Outfit,
): () => { tools: ReadonlyMap<string, Tool>; specs: readonly ToolSpec[] } {
  let made: { of: Outfit; tools: ReadonlyMap<string, Tool>; specs: readonly ToolSpec[] } | null = null;
  return () => {
    const of = outfit();
    if (made?.of !== of)
      made = { of, tools: new Map(of.tools.map((tool) => [tool.name, tool])), specs: of.tools.map(specOf) };
    return made;
  };
}

/** A file that cannot be used is told of once, and the others are used. */
async function tellProblems({ store }: Agent, { told }: Kit, { problems, doubts }: Library): Promise<void> {
  const texts = [...problems.map(({ file, why }) => `${file} is not used: ${why}`), ...doubts];
  const fresh = texts.filter((text) => !told.has(text));
  for (const text of fresh) told.add(text);
  if (fresh.length > 0)
    await store.journal.note(fresh.map((text) => ({ type: "warning.raised", who: null, text })));
}
