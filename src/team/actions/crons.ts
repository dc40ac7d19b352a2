/** Sets and cancels cron jobs. A cron job that a person sets is durable; any process of the team lets it go off. */

import { checkText } from "../../core/board/mail.ts";
import { badInput } from "../../core/errors.ts";
import { type CronId, LEAD, type Name, name } from "../../core/ids.ts";
import { checkZone } from "../../core/text/zone.ts";
import { cronLine } from "../../core/views/cron.ts";
import type { Cron, NewCron, Store } from "../../ports/index.ts";
import type { Done } from "./done.ts";

/** As a person writes it. */
export type CronInput = {
  readonly expression: string;
  readonly text: string;
  /** The receiver of the mail; the lead by default. */
  readonly to?: string | undefined;
  /** The text becomes a task instead. */
  readonly task?: boolean | undefined;
  readonly once?: boolean | undefined;
  readonly zone?: string | undefined;
};

/** @throws EkidenError `bad_input` */
export async function readCron({ expression, text, to, task, once, zone }: CronInput): Promise<NewCron> {
  if (to !== undefined && task) throw badInput("Give either --to NAME or --task, not both.");
  const { parseCron } = await import("../../core/board/cron.ts");
  parseCron(expression);
  checkText(text);
  return {
    expression,
    text,
    zone: checkZone(zone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone),
    target: task ? { kind: "task" } : { kind: "mail", to: to === undefined ? LEAD : name(to) },
    once: once ?? false,
    session: null,
  };
}

/** @throws EkidenError `bad_input` | `not_found` (the member) */
export async function addCron({ crons }: Store, by: Name, job: NewCron): Promise<Done<Cron>> {
  const added = await crons.add(job, by);
  return { data: added, text: cronLine(added) };
}

/** @throws EkidenError `not_found`, with the ids that exist */
export async function cancelCron({ crons }: Store, by: Name, id: CronId): Promise<Done<Cron>> {
  return { data: await crons.cancel(id, by), text: `c${id} is cancelled.` };
}
