/** Calls of other harnesses whose values or whose purpose differ from ours: each conversion makes the fields of ours, or a call of another tool. */

export type Fields = Readonly<Record<string, unknown>>;
type Call = { readonly tool: string; readonly input: Fields };
type Convert = (fields: Fields) => Call;

/** Of a tool that stays itself. */
const same =
  (tool: string, change: (fields: Fields) => Fields): Convert =>
  (fields) => ({ tool, input: change(fields) });

/** Gets the fields in our names. A form ("@…") that it leaves in place is refused. */
export const VALUES: Readonly<Record<string, Convert>> = {
  bash: same("bash", ({ "@cwd": folder, "@timeout": timeout, "@lines": lines, ...fields }) => {
    const time = wholeIn(timeout);
    return {
      // Nobody means less than a second: such a figure is in seconds.
      ...(time !== undefined && { timeout_ms: time < 1_000 ? time * 1_000 : time }),
      ...fields,
      command: inFolder(lineOf(fields.command ?? linesOf(lines)), folder),
      ...given({
        "@lines": fields.command === undefined && linesOf(lines) !== undefined ? undefined : lines,
        "@timeout": time === undefined ? timeout : undefined,
        "@cwd": typeof folder === "string" ? undefined : folder,
      }),
    };
  }),
  read_file: same("read_file", ({ "@range": range, "@end": end, "@pages": pages, ...fields }) => {
    const asked = range ?? pages ?? (end === undefined ? undefined : [fields.offset ?? 1, end]);
    if (asked === undefined) return fields;
    const [from, to] = rangeIn(asked) ?? [];
    if (from === undefined || fields.limit !== undefined)
      return { ...fields, ...given({ "@range": range, "@end": end, "@pages": pages }) };
    return { offset: from, ...(to !== undefined && { limit: to - from + 1 }), ...fields };
  }),
  write_file: same("write_file", ({ "@mode": mode, ...fields }) => {
    if (mode === undefined || /^(?:w|write|overwrite|create|replace)$/.test(String(mode))) return fields;
    return /^(?:a|append)$/.test(String(mode)) ? { append: true, ...fields } : { ...fields, "@mode": mode };
  }),
  edit_file: same("edit_file", ({ "@count": count, edits, ...fields }) => {
    const all = wholeIn(count) === undefined || wholeIn(count) === 1 ? {} : { all: true };
    const [first, ...others] = Array.isArray(edits) ? edits : [];
    const isList = fields.old === undefined && fields.new === undefined && typeof first === "object";
    const rest = isList ? others : edits;
    return {
      ...all,
      ...(isList && first),
      ...fields,
      ...(rest !== undefined && !(Array.isArray(rest) && rest.length === 0) && { edits: rest }),
    };
  }),
  glob: same("glob", ({ "@recursive": recursive, ...fields }) => ({
    ...(fields.path !== undefined && { pattern: flagIn(recursive) === true ? "**" : "*" }),
    ...fields,
    ...(recursive !== undefined && typeof flagIn(recursive) !== "boolean" && { "@recursive": recursive }),
  })),
  grep: same(
    "grep",
    ({ "@mode": mode, "@sensitive": sensitive, "@before": before, "@after": after, ...fields }) => {
      const around = [before, after].map(wholeIn).filter((lines) => lines !== undefined);
      return {
        ...(around.length > 0 && { context: Math.max(...around) }),
        ...given({
          "@before": wholeIn(before) === undefined ? before : undefined,
          "@after": wholeIn(after) === undefined ? after : undefined,
        }),
        ...(mode === "files_with_matches" && { files_only: true }),
        ...(flagIn(sensitive) === false && { ignore_case: true }),
        ...(sensitive !== undefined && typeof flagIn(sensitive) !== "boolean" && { "@sensitive": sensitive }),
        ...(mode !== undefined && mode !== "content" && mode !== "files_with_matches" && { "@mode": mode }),
        ...fields,
      };
    },
  ),
  ask_person: same("ask_person", ({ "@questions": questions, ...fields }) => {
    if (questions === undefined) return fields;
    const [one, ...more] = Array.isArray(questions) ? questions : [];
    if (typeof one !== "object" || one === null || more.length > 0)
      return { ...fields, "@questions": questions };
    const { question, options } = one as Fields;
    return { question, options, ...fields };
  }),
  task: subagent,
  spawn_teammate: same("spawn_teammate", planMode),
  list_tasks: same("list_tasks", ({ "@status": status, ...fields }) => ({
    ...(/^(?:all|any|completed|done|cancelled)$/.test(String(status)) && { all: true }),
    ...fields,
  })),
  create_task: same("create_task", ({ "@status": status, ...fields }) =>
    status === undefined || status === "pending" ? fields : { ...fields, "@status": status },
  ),
  update_task: changed,
  send_message: sent,
  review_plan: ({ "@plan": plan, ...fields }) =>
    plan === undefined
      ? { tool: "review_plan", input: fields }
      : { tool: "submit_plan", input: { plan, ...fields } },
  schedule_cron: same("schedule_cron", ({ "@recurring": recurring, ...fields }) => {
    const recurs = flagIn(recurring);
    if (recurs === undefined || flagIn(fields.once) === !recurs) return fields;
    return typeof recurs === "boolean" && fields.once === undefined
      ? { ...fields, once: !recurs }
      : { ...fields, "@recurring": recurring };
  }),
};

/** A subagent; with a name of its own it is a teammate. Roles that other programs have for their subagents are none of ours. */
function subagent({ "@name": name, "@model": model, "@mode": mode, "@plan": plan, ...fields }: Fields): Call {
  const role = String(fields.role ?? "").toLowerCase();
  const { role: _, ...rest } = fields;
  const input = /^(?:general[-_ ]?purpose|default|explore|plan)?$/.test(role) ? rest : fields;
  if (name !== undefined)
    return {
      tool: "spawn_teammate",
      input: planMode({ name, ...given({ model, "@mode": mode, needs_plan: plan }), ...input }),
    };
  const looks = role === "explore" || role === "plan" ? { read_only: true } : {};
  const isUsual = /^(?:default|acceptEdits|bypassPermissions|auto)?$/.test(String(mode ?? ""));
  return {
    tool: "task",
    input: {
      ...looks,
      ...input,
      ...given({ "@model": model === "inherit" ? undefined : model, "@mode": isUsual ? undefined : mode }),
      ...(plan !== undefined && flagIn(plan) !== false && { "@plan": plan }),
    },
  };
}

/** Modes of permission: only "plan" is the choice of a member here; the others are settings of the person. */
function planMode({ "@mode": mode, ...fields }: Fields): Fields {
  return { ...(mode === "plan" && { needs_plan: true }), ...fields };
}

const OF_STATUS: Readonly<Record<string, string>> = {
  in_progress: "claim_task",
  completed: "complete_task",
  done: "complete_task",
  failed: "fail_task",
  deleted: "cancel_task",
  cancelled: "cancel_task",
};

/** Elsewhere a status is written; here each change of it is a tool. A call that does both is refused: it must be two. */
function changed({ "@status": status, "@blocks": blocks, "@result": result, ...fields }: Fields): Call {
  const { id, assign, description, ...more } = fields;
  const forms = given({ "@status": status, "@blocks": blocks, "@result": result });
  const others = Object.keys(more).length;
  const tool = OF_STATUS[String(status).toLowerCase()];
  if (tool !== undefined && others === 0 && blocks === undefined) {
    const words = result ?? description;
    if (tool === "claim_task" && words === undefined) return { tool, input: given({ id, owner: assign }) };
    if (tool === "complete_task" && assign === undefined)
      return { tool, input: given({ id, result: words }) };
    if ((tool === "fail_task" || tool === "cancel_task") && assign === undefined)
      return { tool, input: given({ id, reason: words }) };
  }
  const [blocked, ...rest] = Array.isArray(blocks) ? blocks : [blocks];
  if (
    blocked !== undefined &&
    rest.length === 0 &&
    others === 0 &&
    status === undefined &&
    assign === undefined
  )
    return { tool: "update_task", input: { id: blocked, add_blocked_by: [id] } };
  return { tool: "update_task", input: { ...fields, ...forms } };
}

/** The kinds of mail that have a tool of their own here. */
function sent({ "@type": type, "@request": request, "@yes": yes, ...fields }: Fields): Call {
  if (typeof fields.text === "object" && fields.text !== null && type === undefined) {
    const {
      type: kind,
      request_id: id,
      approve,
      accept,
      reason,
      feedback,
      text,
      content,
      ...more
    } = fields.text as Fields;
    const { text: _, ...others } = fields;
    return sent({
      ...others,
      ...more,
      ...given({ "@type": kind, "@request": request ?? id, "@yes": yes ?? approve ?? accept }),
      text: reason ?? feedback ?? text ?? content,
    });
  }
  const { to, text, ...others } = fields;
  const words = text === "" ? undefined : text;
  const isAll =
    /^(?:\*|all|everyone)$/.test(String(to)) || (type === "broadcast" && (to === undefined || to === ""));
  if (isAll && (type === undefined || /^(?:broadcast|message|note|text)$/.test(String(type))))
    return { tool: "broadcast", input: { ...others, ...given({ text }) } };
  switch (type) {
    case undefined:
    case "message":
    case "note":
    case "text":
      if (request === undefined && yes === undefined) return { tool: "send_message", input: fields };
      break;
    case "shutdown_request":
      return { tool: "request_shutdown", input: { ...others, ...given({ name: to, reason: words }) } };
    case "shutdown_response":
      return {
        tool: "respond_shutdown",
        input: { ...others, ...given({ request, accept: yes, reason: words }) },
      };
    case "plan_approval_response":
      return {
        tool: "review_plan",
        input: { ...others, ...given({ request, approve: yes, feedback: words }) },
      };
  }
  return {
    tool: "send_message",
    input: { ...fields, ...given({ "@type": type, "@request": request, "@yes": yes }) },
  };
}

/** Without what is undefined. */
const given = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** Some models write "false". Any other value stays, and is refused where it is not understood. */
const flagIn = (value: unknown): unknown => (value === "true" ? true : value === "false" ? false : value);

const wholeIn = (value: unknown): number | undefined => {
  const number = typeof value === "string" && /^-?\d+$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isInteger(number) ? number : undefined;
};

/** `[3, 7]`, "3-7" or "3"; an end of -1 is the end of the file. Null: it is no range. */
function rangeIn(value: unknown): readonly [number, number?] | null {
  const [from, to] = Array.isArray(value)
    ? value.map(wholeIn)
    : (/^(\d+)(?:\s*[-:]\s*(\d+))?$/.exec(String(value).trim()) ?? [])
        .slice(1)
        .map((part, i, [first]) => wholeIn(part ?? (i === 1 ? first : part)));
  if (from === undefined) return null;
  const hasEnd = Array.isArray(value) && value.length > 1;
  if (to === undefined ? hasEnd : to !== -1 && to < from) return null;
  return to === undefined || to === -1 ? [from] : [from, to];
}

/** A program with its arguments is one line; of `bash -lc LINE` only the line. One text alone is a line already. */
function lineOf(command: unknown): unknown {
  if (!Array.isArray(command) || !command.every((word) => typeof word === "string")) return command;
  if (command.length === 1) return command[0];
  const [program = "", option = "", line] = command;
  if (command.length === 3 && /(?:^|\/)(?:ba|z|da)?sh$/.test(program) && /^-l?c$/.test(option)) return line;
  return command.map(quoted).join(" ");
}

/** Each of several commands is a line of its own; the first that fails ends them. */
const linesOf = (lines: unknown): string | undefined =>
  typeof lines === "string"
    ? lines
    : Array.isArray(lines) && lines.length > 0 && lines.every((line) => typeof line === "string")
      ? (lines.length > 1 ? ["set -e", ...lines] : lines).join("\n")
      : undefined;

const inFolder = (line: unknown, folder: unknown): unknown =>
  typeof line !== "string" || typeof folder !== "string" || folder === "" || folder === "."
    ? line
    : `cd -- ${quoted(folder)} && {\n${line}\n}`;

const quoted = (word: string): string =>
  /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** The patch of a program that GPT models know and that no machine has: as a word, or as text behind `<<`. */
export function patchIn({ command, "@cwd": folder, run_in_background }: Fields): string | null {
  if ((folder !== undefined && folder !== "" && folder !== ".") || run_in_background) return null;
  if (
    Array.isArray(command) &&
    command.length === 2 &&
    /^apply_?patch$/.test(command[0]) &&
    typeof command[1] === "string"
  )
    return command[1];
  const line = lineOf(command);
  if (typeof line !== "string" || !/^\s*apply_?patch\b/.test(line)) return null;
  const [, , word, patch] = /^\s*apply_?patch\s*<<-?\s*(['"]?)(\w+)\1[ \t]*\n([\s\S]*)$/.exec(line) ?? [];
  const text = patch?.trimEnd() ?? "";
  return word !== undefined && text.endsWith(`\n${word}`) ? text.slice(0, -word.length - 1) : null;
}
