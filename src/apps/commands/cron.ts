/** `ekiden cron`: the alarms of a team. One that a person sets is durable; whichever process of the team runs lets it go off. */
import { parseCron } from "../../core/cron.ts";
import { EkidenError } from "../../core/errors.ts";
import { cronId, LEAD, name, PERSON, quote } from "../../core/ids.ts";
import { checkText } from "../../core/mail.ts";
import { cronsViews } from "../../core/views/cron.ts";
import { zoneOf } from "../../core/zone.ts";
import type { NewCron } from "../../ports/index.ts";
import { alarmLine, localZone } from "../../tools/schedule.ts";
import type { Invocation } from "../invocation.ts";
import { withTeam } from "../open.ts";
import { clean } from "../terminal/terminal.ts";

type Options = { to?: string; task?: boolean; once?: boolean; zone?: string };

export async function run(
  call: Invocation,
  [action = "list", ...args]: readonly string[],
  options: Options,
): Promise<undefined> {
  if (action === "add") return await add(call, args, options);
  if (action === "list" && args.length === 0) return await list(call);
  if (action === "cancel" && args.length === 1) return await cancel(call, args[0] ?? "");
  throw new EkidenError(
    "bad_input",
    `ekiden cron ${quote([action, ...args].join(" "))} cannot be done. Use ekiden cron list, ekiden cron add CRON TEXT, or ekiden cron cancel ID.`,
  );
}

async function add(call: Invocation, args: readonly string[], options: Options): Promise<undefined> {
  const alarm = newAlarm(args, options);
  await withTeam(call, "make", async (store) => {
    const added = await store.crons.add(alarm, PERSON);
    call.out.write(`${call.json ? JSON.stringify(added) : clean(alarmLine(added))}\n`);
  });
}

/** Checked before the store is opened: what is refused must not leave an empty team behind. */
function newAlarm(args: readonly string[], { to, task, once, zone }: Options): NewCron {
  if (to !== undefined && task)
    throw new EkidenError("bad_input", "Give either --to NAME or --task, not both.");
  // "0 9 * * 1" in quotes, or five words of their own.
  const fields = /\s/.test(args[0]?.trim() ?? "") ? 1 : 5;
  const text = args.slice(fields).join(" ").trim();
  const expression = args.slice(0, fields).join(" ");
  parseCron(expression);
  checkText(text);
  return {
    expression,
    text,
    zone: zoneOf(zone ?? localZone()).name,
    target: task ? { kind: "task" } : { kind: "mail", to: to === undefined ? LEAD : name(to) },
    once: once ?? false,
    session: null,
  };
}

async function list(call: Invocation): Promise<undefined> {
  await withTeam(call, "look", async ({ team, crons }) => {
    const data = { team, alarms: await crons.list() };
    await call.show(data, () => cronsViews(data));
  });
}

async function cancel(call: Invocation, id: string): Promise<undefined> {
  const wanted = cronId(id);
  await withTeam(call, "look", async ({ crons }) => {
    const cancelled = await crons.cancel(wanted, PERSON);
    if (call.json) call.out.write(`${JSON.stringify(cancelled)}\n`);
    else call.say(`c${wanted} is cancelled.`);
  });
}
