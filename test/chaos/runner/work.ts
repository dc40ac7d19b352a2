/** The work of a round: a runbook, and a scripted model that works through its tasks. Both are made from the dice alone. */
import type { ModelCall, Program } from "../../fixtures/model-server/index.ts";
import { type Answer, fails, type Said, type SaidCall, says } from "../../fixtures/model-server/index.ts";
import type { ClassName } from "./faults.ts";

export type Dice = () => number;
export type WorkPlan = {
  readonly tasks: number;
  readonly after: readonly (readonly number[])[];
  readonly members: readonly string[];
  readonly classes: ReadonlySet<ClassName>;
  readonly isRunbook: boolean;
  readonly landings: boolean;
  /** The tasks land on a remote. */
  readonly onRemote: boolean;
  /** Tasks that their owners split, each into two parts. */
  readonly splits: ReadonlySet<number>;
  /** Tasks whose first try at the gate is red. */
  readonly red: ReadonlySet<number>;
  readonly effectsLog: string;
  /** Commands of git that give the target branch its form. */
  readonly target: readonly (readonly string[])[];
};

/** Each task waits for up to two earlier ones. */
export const randomGraph = (dice: Dice, tasks: number): number[][] =>
  Array.from({ length: tasks }, (_, nth) =>
    nth === 0 || dice() < 0.5
      ? []
      : [...new Set([1, 2].map(() => 1 + Math.floor(dice() * nth)))].slice(0, 1 + Math.floor(dice() * 2)),
  );

/** As words of bash. */
const ODD_NAMES = [
  "$'\\xff\\xfe'",
  "$'new\\nline'",
  "'ends '",
  "'-rf'",
  `'${"long".repeat(55)}'`,
  "'ä ö.txt'",
] as const;

/** One `printf` is one write with O_APPEND, so that lines of several processes do not mix. */
function commandOf(plan: WorkPlan, task: number, attempt: string): string {
  const line = (what: string): string =>
    `printf '${what} ${task} %s %s %s %s\\n' "${attempt}" "$EKIDEN_MEMBER" "$run" "$(date +%s%3N)" >> '${plan.effectsLog}'`;
  const ticks = plan.classes.has("long-commands")
    ? [`for tick in $(seq 40); do sleep 0.05; ${line("tick")}; done`]
    : [];
  const odd = plan.classes.has("odd-names")
    ? `; printf x > out/${task}-${ODD_NAMES[task % ODD_NAMES.length]}`
    : "";
  const file = plan.landings
    ? [`{ mkdir -p out && printf 'green ${task}\\n' > out/${task}.txt${odd}; } || exit 1`]
    : [];
  return [`run=$$-$(date +%s%N)`, line("begin"), ...ticks, ...file, line("end")].join("\n");
}

export function runbookOf(plan: WorkPlan): string {
  const sections = plan.after.map((after, i) => {
    const task = i + 1;
    const waits = after.length > 0 ? `After: ${after.map((id) => `#${id}`).join(", ")}\n` : "";
    // A command is told its attempt by its environment; programs that do not tell it leave "-".
    const body = plan.isRunbook
      ? `\`\`\`sh\n${commandOf(plan, task, "${EKIDEN_ATTEMPT:--}")}\n\`\`\`\n`
      : "Do it.\n";
    return `## task ${task}\n${waits}\n${body}`;
  });
  return `# Chaos\n\n${sections.join("\n")}`;
}

type Step = { readonly calls: readonly SaidCall[] } | { readonly text: string };

/** A pure function of the conversation, so that it continues after every crash. */
function nextStep(plan: WorkPlan, who: string, { messages }: ModelCall): Step {
  const parts = messages.flatMap((message) => [...message.content]);
  const at = parts.findLastIndex(
    (part) => part.type === "text" && /<(auto-claimed|own-task) task=/.test(part.text),
  );
  const text = parts[at]?.type === "text" ? parts[at].text : "";
  const [, digits, attempt = ""] =
    [...text.matchAll(/<(?:auto-claimed|own-task) task="(\d+)" attempt="(\d+)"/g)].at(-1) ?? [];
  if (digits === undefined) return { text: "I wait." };
  const task = Number(digits);
  const results = new Map(
    parts.flatMap((part) => (part.type === "result" ? [[part.id, part] as const] : [])),
  );
  const mine = parts.flatMap((part) =>
    part.type === "call" && part.id.startsWith(`t${task}-a${attempt}-`) ? [part] : [],
  );
  const triesOf = (tool: string) => mine.filter((call) => call.tool === tool);
  const call = (tool: string, input: object): Step => ({
    calls: [{ tool, input, id: `t${task}-a${attempt}-${tool}-${triesOf(tool).length + 1}` }],
  });
  const last = (tool: string) => results.get(triesOf(tool).at(-1)?.id ?? "");
  const isInterrupted = (tool: string): boolean => last(tool)?.text.startsWith("Interrupted") ?? false;

  if (plan.splits.has(task) && !text.includes("[It was split by ")) {
    const split = last("split_task");
    if (!split || isInterrupted("split_task")) {
      const parts = [1, 2].map((nth) => ({ subject: `part ${nth} of task ${task}`, description: "Do it." }));
      return call("split_task", { parts, note: "In two parts." });
    }
    return { text: split.isError ? `#${task} is not mine any more.` : `#${task} waits for its parts.` };
  }

  const ran = last("bash");
  const ended = last("complete_task");
  const isRed = plan.landings && plan.red.has(task);
  const fixed = !JSON.stringify(triesOf("bash").at(-1)?.input ?? "").includes("echo red");
  const isGone = (text = ""): boolean => /was removed before its work had landed/.test(text);
  // It did not run where its worktree was gone.
  const hasRun = ran && !isInterrupted("bash") && !(ran.isError && isGone(ran.text));
  if (!hasRun || (/no space left|unable to write/i.test(ran.text) && !ended)) {
    const red = isRed && !ended && !JSON.stringify(parts).includes("gate.sh");
    const command = commandOf(plan, task, attempt);
    return call("bash", { command: red ? `${command}\necho red > out/${task}.txt` : command });
  }
  // A letter whose answer was lost is not repeated: it may have been sent.
  if (triesOf("send_message").length === 0 && plan.members.length > 1) {
    const others = [...plan.members.filter((one) => one !== who), "lead"];
    const to = others[(task * 7 + Number(attempt)) % others.length];
    return call("send_message", { to, text: `letter of ${who} about #${task}, attempt ${attempt}` });
  }
  if (ended && !ended.isError && !isInterrupted("complete_task")) return { text: `#${task} is done.` };
  // Somebody removed its worktree: the work is done again. It hears so in a result, or after a restart with its task.
  const lostAt = parts.findLastIndex(
    (part, index) =>
      (part.type === "result" && part.id.startsWith(`t${task}-a${attempt}-`) && isGone(part.text)) ||
      (part.type === "text" && index === at && isGone(part.text)),
  );
  const ranAt = parts.findLastIndex((part) => part.type === "call" && part.id === triesOf("bash").at(-1)?.id);
  if (ranAt < lostAt) return call("bash", { command: commandOf(plan, task, attempt) });
  if (ended && /gate/.test(ended.text) && !fixed)
    return call("bash", { command: commandOf(plan, task, attempt) });
  if (
    ended &&
    /completed already|have no task|not claimed|is \w[\w-]*'s|does not hold|stale/.test(ended.text)
  )
    return { text: `#${task} is not mine any more.` };
  if (triesOf("complete_task").length >= 12) return { text: `I cannot complete #${task}.` };
  return call("complete_task", { result: `done by ${who}` });
}

const FAULT_SHARE = 0.12;

/** The answers of the server. `isCalm` ends the faults of the model, so that a round can end. */
export function programOf(plan: WorkPlan, dice: Dice, isCalm: () => boolean, count: () => void): Program {
  const failures = failuresOf(plan.classes);
  return (request: ModelCall): Answer => {
    const who = whoAsks(request);
    const step = who === "lead" ? { text: "Noted." } : nextStep(plan, who, request);
    const said: Said = "text" in step ? says(step.text) : { calls: step.calls };
    if (failures.length === 0 || isCalm() || dice() > FAULT_SHARE) return said;
    count();
    return failures[Math.floor(dice() * failures.length)]?.(said) ?? said;
  };
}

export const whoAsks = ({ system }: Pick<ModelCall, "system">): string =>
  /^You are "([^"/]+)/m.exec(system)?.[1] ?? "nobody";

function failuresOf(classes: ReadonlySet<ClassName>): ((said: Said) => Answer)[] {
  const failures: Partial<Record<ClassName, ((said: Said) => Answer)[]>> = {
    "model-busy": [() => fails.rateLimited(0.2), () => fails.broken(), () => fails.overloaded()],
    "model-cut": (["cut", "end early", "break"] as const).map((fault) => (said) => ({ ...said, fault })),
    "model-pings": [(said) => ({ ...said, fault: "pings" })],
    "model-odd": [
      (said) => ({ ...said, calls: (said.calls ?? []).map((call) => ({ ...call, id: "same" })) }),
      (said) => ({ ...said, text: " " }),
      (said) => ({ ...said, text: "half \ud83d" }),
    ],
  };
  return Object.entries(failures).flatMap(([name, list]) => (classes.has(name as ClassName) ? list : []));
}
