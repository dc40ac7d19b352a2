/** The models of the members that this process runs. The person may give them another one while they work. */

import { notFound } from "../../core/errors.ts";
import type { Name } from "../../core/ids.ts";
import type { Effort } from "../../core/settings/effort.ts";
import { isUnpriced } from "../../core/settings/models.ts";
import type { Model, ModelRequest, Reply, ReplyOptions } from "../../ports/index.ts";
import type { Pause } from "../money/pause.ts";
import type { Parts } from "../parts.ts";
import { warnOnce } from "../project-files.ts";
import type { HostOptions } from "../team-host.ts";
import { type EffortOf, effortNote } from "./member-effort.ts";

export class MemberModels {
  /** The one that the person chose for all, also for members that start later. */
  chosen: string | undefined;
  private readonly inUse = new Map<Name, ReplaceableModel>();
  private effortOfAll: Effort | undefined;
  private readonly efforts = new Map<Name, Effort | undefined>();
  private readonly parts: Parts;
  private readonly reported: Set<string>;
  private readonly onModel: HostOptions["onModel"];
  private readonly pause: Pause;

  /** `pause`: calls wait for its end. */
  constructor(parts: Parts, reported: Set<string>, onModel: HostOptions["onModel"], pause: Pause) {
    this.parts = parts;
    this.reported = reported;
    this.onModel = onModel;
    this.pause = pause;
  }

  get specs(): ReadonlyMap<Name, string> {
    return new Map([...this.inUse].map(([name, { spec }]) => [name, spec]));
  }

  async offered(): Promise<readonly string[]> {
    return await this.parts.models.offered(
      new Set([...this.inUse.values()].map(({ spec }) => spec.split("/")[0] ?? "")),
    );
  }

  /** A member starts. */
  attach(name: Name, model: Model, effortOf: EffortOf): Model {
    const own = new ReplaceableModel(model, effortOf, this.pause);
    this.inUse.set(name, own);
    this.onModel?.(name, own);
    return own;
  }

  /** From their next call on, without `who` for all members. @throws EkidenError `model_missing` | `model_auth` | `not_found` */
  async replace(spec: string, who?: Name): Promise<void> {
    this.checkHere(who);
    const model = await this.parts.models.open(spec);
    await warnUnpriced(this.parts, this.reported, [model]);
    if (who === undefined) this.chosen = spec;
    for (const [name, own] of this.inUse) {
      if (who !== undefined && name !== who) continue;
      own.current = model;
      this.onModel?.(name, own);
    }
  }

  /** Sets the person's choice, from the next call on; undefined: none. Without `who` for all members. @throws EkidenError `not_found` */
  think(effort: Effort | undefined, who?: Name): void {
    this.checkHere(who);
    if (who !== undefined) {
      if (effort === undefined) this.efforts.delete(who);
      else this.efforts.set(who, effort);
      return;
    }
    this.effortOfAll = effort;
    this.efforts.clear();
  }

  chosenEffort(who: Name): Effort | undefined {
    return this.efforts.get(who) ?? this.effortOfAll;
  }

  /** The effort of each member now, with a note where its model has no such level. */
  async thinking(): Promise<{ name: Name; effort: Effort | undefined; note: string }[]> {
    const { models } = this.parts.settings;
    return await Promise.all(
      [...this.inUse].map(async ([name, { spec, effortOf }]) => {
        const effort = await effortOf();
        return { name, effort, note: effortNote(spec, effort, models) };
      }),
    );
  }

  private checkHere(who: Name | undefined): void {
    if (who === undefined || this.inUse.has(who)) return;
    throw notFound(`${who} does not work in this process. Here are: ${[...this.inUse.keys()].join(", ")}.`);
  }
}

class ReplaceableModel implements Model {
  current: Model;
  readonly effortOf: EffortOf;
  private readonly pause: Pause;

  constructor(model: Model, effortOf: EffortOf, pause: Pause) {
    this.current = model;
    this.effortOf = effortOf;
    this.pause = pause;
  }

  get spec(): string {
    return this.current.spec;
  }

  get window(): number {
    return this.current.window;
  }

  get bindsPrefix(): boolean | undefined {
    return this.current.bindsPrefix;
  }

  get clears(): boolean | undefined {
    return this.current.clears;
  }

  get caches(): boolean | undefined {
    return this.current.caches;
  }

  get searches(): boolean | undefined {
    return this.current.searches;
  }

  get longestReply(): number | undefined {
    return this.current.longestReply;
  }

  async reply(request: ModelRequest, options: ReplyOptions): Promise<Reply> {
    if (this.pause.isOn) await this.pause.passed(options.signal);
    return await this.current.reply(request, options);
  }
}

export async function warnUnpriced(
  { settings, store }: Pick<Parts, "settings" | "store">,
  reported: Set<string>,
  models: readonly Model[],
): Promise<void> {
  const unpriced = models
    .filter(({ spec }) => isUnpriced(spec, settings.models))
    .map(
      ({ spec }) =>
        `No price of ${spec} is known, so no budget in money counts its cost. Its calls are limited: ${settings.callsPerTask} a task (setting callsPerTask). The setting models may name its price, and budgetTokens limits its tokens.`,
    );
  await warnOnce(store.journal, reported, unpriced);
}
