/**
 * (i) What a team says to its models over a goal of seven small tasks: a lead that lays them down and concludes, three teammates
 * that run a command, complete the task and report.
 */
import { type Call, loopback, type Says } from "./loopback.ts";
import { figure, type Item } from "./measure.ts";
import { BUILT, runNode } from "./stage.ts";

const TASKS = 7;
const TEAMMATES = ["alice", "bob", "carol"];
/** Nobody can do with fewer: the lead begins, has its calls answered and concludes; a task is a command, a completion, a report. */
const NEEDED = 3 + 3 * TASKS;

type Body = { readonly system: unknown; readonly messages: readonly unknown[] };

const begin: Call[] = [
  ...Array.from({ length: TASKS }, (_, i) => ({
    tool: "create_task",
    input: { subject: `Part ${i + 1}`, description: `Look after part ${i + 1}.` },
  })),
  ...TEAMMATES.map((name) => ({ tool: "spawn_teammate", input: { name } })),
];

export const talk: Item = async () => {
  const requests = { lead: 0, teammate: 0 };
  const server = await loopback((_, text): Says => {
    const { messages } = JSON.parse(text) as Body;
    const last = JSON.stringify(messages.at(-1));
    if (!JSON.stringify(messages[0]).includes("a teammate in team")) {
      requests.lead += 1;
      return requests.lead === 1 ? { calls: begin } : { text: "Seen." };
    }
    requests.teammate += 1;
    if (last.includes("auto-claimed"))
      return { tool: "bash", input: { command: "sleep 0.2 && echo looked" } };
    return last.includes("looked")
      ? { tool: "complete_task", input: { result: "All is well." } }
      : { text: "The part is looked after." };
  });
  const ran = ["run", "Look after all parts.", "--model", "anthropic/loopback", "--quiet"];
  try {
    await runNode([BUILT, ...ran, "--permission-mode", "bypass"], server.env);
  } finally {
    await server.close();
  }
  const bytes = server.seen.reduce((sum, { body }) => sum + body.length, 0);
  return [
    figure({
      item: "i",
      name: `${TASKS} small tasks, ${TEAMMATES.length} teammates: requests, against those nobody can do without`,
      unit: "requests",
      value: requests.lead + requests.teammate,
      floor: NEEDED,
      note: `${requests.lead} of the lead, ${requests.teammate} of teammates; ${Math.round(bytes / 1024)} KB sent`,
    }),
  ];
};
