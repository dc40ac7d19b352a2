/** Asks a model whether work gets anywhere. Each look is a fact of the journal; one that fails, for whatever reason, is no answer. */
import { words } from "../../core/board/mail.ts";
import type { Seat } from "../../core/board/member.ts";
import { REVIEWER } from "../../core/board/review.ts";
import { textOf } from "../../core/conversation/chat.ts";
import { readsProse } from "../../core/conversation/compaction.ts";
import { messageOf } from "../../core/errors.ts";
import { type Instant, LEAD, type Name, PERSON } from "../../core/ids.ts";
import type { Chain } from "../../core/progress/chain.ts";
import {
  ANSWER_TOKENS,
  LOOK_SYSTEM,
  type Look,
  lookOf,
  lookPrompt,
  type Sight,
} from "../../core/progress/look.ts";
import { roleNamed } from "../../core/project/role.ts";
import { agentLine } from "../../core/settings/agent-line.ts";
import { isUnpriced, usdOf } from "../../core/settings/models.ts";
import type { Model, Reply } from "../../ports/index.ts";
import type { Parts } from "../parts.ts";
import { openProjectFiles } from "../project-files.ts";
import { statOf } from "../workspaces/task-changes.ts";

export type JudgeParts = Pick<
  Parts,
  "settings" | "store" | "clock" | "models" | "taskChanges" | "secrets" | "workspace" | "userFolder" | "trust"
>;
/** A look and what it cost. */
export type Judged = Look & { readonly tokens: number; readonly usd: number };

/** The member waits no longer for an answer. */
const ANSWER_MS = 60_000;
/** Mails of the person that say what the goal is. */
const MAILS_SHOWN = 3;

export class Judge {
  private readonly parts: JudgeParts;
  private readonly warned = new Set<string>();

  constructor(parts: JudgeParts) {
    this.parts = parts;
  }

  /** Null where no model can judge. `seat`: of the member that pays. `since`: when the goal was set. */
  async look(chain: Chain, who: Name, seat: Seat, since: Instant): Promise<Judged | null> {
    const model = await this.model().catch(() => null);
    if (!model) return null;
    let reply: Reply | null = null;
    let look: Look = { verdict: "none", text: "the answer cannot be read" };
    try {
      const prompt = lookPrompt(await this.sightOf(chain, who, since));
      reply = await ask(model, this.parts.secrets.redact(prompt));
      look = lookOf(textOf(reply.message)) ?? look;
    } catch (error) {
      look = { verdict: "none", text: messageOf(error) };
    }
    const { usage, usd = 0 } = reply ?? {};
    const of = { who, task: chain.root, calls: chain.calls, spent: chain.usd };
    const fact = { type: "work.judged", ...of, ...look, model: model.spec, usd } as const;
    const spent = usage && { turns: 0, ...usage, usd };
    await this.parts.store.transcript.record(seat, [], { facts: [fact], ...(spent && { spent }) });
    return { ...look, tokens: usage ? usage.inputTokens + usage.outputTokens : 0, usd };
  }

  /** The one that the role of reviewers names, else the cheapest of those that are configured or in use. The built-in one reads no prose. */
  private async model(): Promise<Model | null> {
    const { settings, store, models, workspace, userFolder, trust } = this.parts;
    const files = await openProjectFiles(store.journal, this.warned, workspace, userFolder, trust);
    const named = roleNamed(files.library.roles, REVIEWER)?.model;
    const price = (spec: string): number =>
      isUnpriced(spec, settings.models)
        ? Number.POSITIVE_INFINITY
        : usdOf(spec, { fresh: 10, cached: 0, written: 0, output: 1 }, settings.models[spec]);
    const { model = "", lead = "", fallbackModel = "" } = settings;
    const specs = [model, lead, fallbackModel, ...models.opened()].filter(
      (spec) => spec !== "" && !agentLine(spec),
    );
    const cheapest = [...new Set(specs)].sort((a, b) => price(a) - price(b));
    for (const spec of named ? [named, ...cheapest] : cheapest) {
      const model = await models.open(spec).catch(() => null);
      if (model && readsProse(model.window)) return model;
    }
    return null;
  }

  private async sightOf(chain: Chain, who: Name, since: Instant): Promise<Sight> {
    const { store, taskChanges } = this.parts;
    const task = chain.root === null ? null : await store.board.task(chain.root);
    const own = await store.board.mine(who);
    const diff = await taskChanges(own ?? { startedAt: since }).catch(() => null);
    const words = task ? `#${task.id} ${task.subject}\n${task.description}` : await this.goal();
    return { words, chain, diff: diff === null ? null : statOf(diff) };
  }

  private async goal(): Promise<string> {
    const { mail, board } = this.parts.store;
    const said = (await mail.box(LEAD, MAILS_SHOWN, PERSON)).map(({ body }) => words(body));
    const counts = Object.entries(await board.counts()).map(([status, count]) => `${count} ${status}`);
    return [`The person said to the lead:`, ...said, `The board: ${counts.join(", ")}`].join("\n");
  }
}

const ask = (model: Model, text: string): Promise<Reply> =>
  model.reply(
    {
      system: LOOK_SYSTEM,
      messages: [{ role: "user", content: [{ type: "text", text }] }],
      tools: [],
      maxOutputTokens: ANSWER_TOKENS,
      effort: "low",
    },
    { signal: AbortSignal.timeout(ANSWER_MS) },
  );
