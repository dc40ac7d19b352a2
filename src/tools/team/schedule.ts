/** Tools for cron jobs: mail or a new task at a given time, once or repeatedly. */
import { z } from "zod";
import { cronId, LEAD, name } from "../../core/ids.ts";
import { cronLine } from "../../core/views/cron.ts";
import { defineTool } from "../define.ts";
import { maybe, text } from "../inputs.ts";

/** The time zone of this machine. */
const localZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

export const scheduleCron = defineTool({
  name: "schedule_cron",
  description: "Set a cron job: mail or a new task at the times of a cron expression.",
  access: "team",
  input: () =>
    z.strictObject({
      cron: text.describe("minute hour day-of-month month day-of-week"),
      text: text,
      to: maybe.text.describe("recipient; default you"),
      as_task: maybe.flag.describe("text becomes a task instead"),
      once: maybe.flag,
      durable: maybe.flag.describe("outlives this session"),
      time_zone: maybe.text,
    }),
  subject: (input) => `${input.cron} ${input.text}`,
  run: async (input, { store, self, seat }) => {
    const job = await store.crons.add(
      {
        expression: input.cron,
        zone: input.time_zone ?? localZone(),
        text: input.text,
        target: input.as_task ? { kind: "task" } : { kind: "mail", to: input.to ? name(input.to) : self },
        once: input.once ?? false,
        session: input.durable ? null : seat.host,
      },
      self,
    );
    return `Set ${cronLine(job)}`;
  },
});

export const listCrons = defineTool({
  name: "list_crons",
  description: "List all cron jobs.",
  access: "read",
  membersOnly: true,
  input: () => z.strictObject({}),
  run: async (_, { store }) => (await store.crons.list()).map(cronLine).join("\n") || "No cron jobs are set.",
});

export const cancelCron = defineTool({
  name: "cancel_cron",
  description: "Remove a cron job.",
  access: "team",
  input: () => z.strictObject({ id: text }),
  subject: ({ id }) => id,
  run: async ({ id }, { store, self, kind }) => {
    const wanted = cronId(id);
    const job = (await store.crons.list()).find((one) => one.id === wanted);
    if (job && job.by !== self && kind !== "lead")
      throw new Error(`c${wanted} was set by ${job.by}. Ask ${job.by} or ${LEAD} to cancel it.`);
    await store.crons.cancel(wanted, self);
    return `c${wanted} is cancelled.`;
  },
});
