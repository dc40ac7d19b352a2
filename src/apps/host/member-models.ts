/** The models of the members that this process runs. The person may give them another one while they work. */
import { EkidenError } from "../../core/errors.ts";
import type { Name } from "../../core/ids.ts";
import { isUnpriced } from "../../core/prices.ts";
import type { Model, ModelRequest, Reply, ReplyOptions } from "../../ports/index.ts";
import type { Parts } from "./parts.ts";
import { warnOnce } from "./project-files.ts";
import type { HostOptions } from "./team-host.ts";

export class MemberModels {
  /** The one that the person chose for all, also for members that start later. */
  chosen: string | undefined;
  private readonly inUse = new Map<Name, ReplaceableModel>();
  private readonly parts: Parts;
  private readonly reported: Set<string>;
  private readonly onModel: HostOptions["onModel"];

  constructor(parts: Parts, reported: Set<string>, onModel: HostOptions["onModel"]) {
    this.parts = parts;
    this.reported = reported;
    this.onModel = onModel;
  }

  get specs(): ReadonlyMap<Name, string> {
    return new Map([...this.inUse].map(([name, { spec }]) => [name, spec]));
  }

  /** A member starts. */
  attach(name: Name, model: Model): Model {
    const own = new ReplaceableModel(model);
    this.inUse.set(name, own);
    this.onModel?.(name, own);
    return own;
  }

  /** From their next call on, without `who` for all members. @throws EkidenError `model_missing` | `model_auth` | `not_found` */
  async replace(spec: string, who?: Name): Promise<void> {
    if (who !== undefined && !this.inUse.has(who))
      throw new EkidenError(
        "not_found",
        `${who} does not work in this process. Here are: ${[...this.inUse.keys()].join(", ")}.`,
      );
    const model = await this.parts.model(spec);
    await warnUnpriced(this.parts, this.reported, [model]);
    if (who === undefined) this.chosen = spec;
    for (const [name, own] of this.inUse) {
      if (who !== undefined && name !== who) continue;
      own.current = model;
      this.onModel?.(name, own);
    }
  }
}

class ReplaceableModel implements Model {
  current: Model;

  constructor(model: Model) {
    this.current = model;
  }

  get spec(): string {
    return this.current.spec;
  }

  get window(): number {
    return this.current.window;
  }

  get longestReply(): number | undefined {
    return this.current.longestReply;
  }

  reply(request: ModelRequest, options: ReplyOptions): Promise<Reply> {
    return this.current.reply(request, options);
  }
}

export async function warnUnpriced(
  { settings, store }: Pick<Parts, "settings" | "store">,
  reported: Set<string>,
  models: readonly Model[],
): Promise<void> {
  if (settings.budgetUsd === undefined && settings.teammateBudgetUsd === undefined) return;
  const unpriced = models.filter(({ spec }) => isUnpriced(spec)).map(({ spec }) => noPrice(spec));
  await warnOnce(store.journal, reported, unpriced);
}

const noPrice = (spec: string): string =>
  `No price of ${spec} is known, so a budget in money does not count its cost. Set a budget in tokens.`;
