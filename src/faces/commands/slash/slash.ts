/**
 * Lines that begin with a slash. `/NAME …` is the command of the same name, where `table.ts` has it; it
 * runs on the team of the conversation. This file has only the commands that need the conversation itself.
 */

import { Command } from "commander";
import { badInput, type EkidenError } from "../../../core/errors.ts";
import { LEAD, type Name, name, quote } from "../../../core/ids.ts";
import { commandWords, MODE_WORDS, MODES, readMode } from "../../../core/permission/mode.ts";
import { EFFORTS, readOrdered } from "../../../core/settings/effort.ts";
import { jsonLine } from "../../../core/text/hidden.ts";
import { tokens, type View } from "../../../core/views/view.ts";
import type { Store } from "../../../ports/index.ts";
import type { Invocation } from "../../kit/invocation.ts";
import { lines } from "../../kit/print.ts";
import { clean, type Terminal } from "../../kit/terminal.ts";
import { type Entry, nameOf } from "../entry.ts";
import { addCommand, type Chosen, faultOf, unknownCommand } from "../program.ts";
import { OUTSIDE, SHARED } from "../table.ts";
import { budget } from "./budget.ts";
import type { Described, OwnCommands, ReplContext } from "./context.ts";
import { ownMessage, ownNames } from "./own-commands.ts";
import { runFile } from "./run-file.ts";
import { takeAway } from "./take-away.ts";

const OWN: OwnCommands<ReplContext> = {
  help: {
    usage: "/help",
    about: "this list",
    run: async ({ call, more = [] }) => call.show([...HELP, ...more, ...(await ownNames(call.cwd))], help),
  },
  forge: {
    usage: "/forge",
    about: "the pull requests of the team: state, rounds, what each waits for",
    run: async ({ host, call }) => (await import("../forge-list.ts")).listForge(call, host.store),
  },
  model: {
    usage: "/model [PROVIDER/MODEL] [NAME]",
    about: "which model each member uses; or use another one, for all or one of them, until the team stops",
    run: async ({ host, call }, [spec, who]) => {
      if (spec !== undefined)
        return call.done(await host.order({ kind: "model", model: spec, who: orAll(who) }));
      const members = [...host.models].map(([name, model]) => ({ name, model }));
      const offered = await host.offeredModels();
      await call.show({ members, offered }, () => [
        {
          kind: "feed",
          lines: [
            ...members.map(({ name, model }) => ({ who: name, text: model, tone: "plain" as const })),
            ...offered.map((model) => ({ who: "offered", text: model, tone: "dim" as const })),
          ].map((line) => ({ at: null, ...line })),
          empty: "No member runs in this process.",
        },
      ]);
    },
  },
  effort: {
    usage: "/effort [LEVEL|auto] [NAME]",
    about: `how hard each member thinks; or another level, for all or one of them, until the team stops: ${EFFORTS.join(", ")}`,
    run: async ({ host, call }, [level, who]) => {
      const effort = level === undefined ? null : readOrdered(level);
      if (level !== undefined)
        return call.done(await host.order({ kind: "effort", effort, who: orAll(who) }));
      const members = await host.efforts();
      await call.show({ members }, () => [
        {
          kind: "feed",
          lines: members.map(({ name, effort = "auto", note }) => ({
            ...{ at: null, who: name, tone: "plain" },
            text: note === "" ? effort : `${effort} · ${note}`,
          })),
          empty: "No member runs in this process.",
        },
      ]);
    },
  },
  mode: {
    usage: "/mode [MODE]",
    about: `the permission mode; or another one, until the team stops: ${MODES.join(", ")}`,
    run: async ({ host, call }, [wanted]) => {
      if (wanted !== undefined) return call.done(await host.order({ kind: "mode", mode: readMode(wanted) }));
      const { mode } = host;
      const commands = commandWords(mode, await host.runsUnasked());
      const text = [`mode ${mode}: ${MODE_WORDS[mode]}`, commands].filter(Boolean).join("; ");
      call.done({ data: { mode }, text });
    },
  },
  budget,
  compact: {
    usage: "/compact [NAME]",
    about: "sum up a member's conversation (default: the lead's), to free its context",
    run: replacing(false, (who, sizes) =>
      sizes
        ? `the conversation of ${who} was summed up: ${sizes}; /transcript ${who} shows all of it`
        : `there is nothing to sum up in the conversation of ${who}`,
    ),
  },
  clear: {
    usage: "/clear [NAME]",
    about: "begin a new conversation with a member (the lead); the board and the team stay",
    run: replacing(true, (who, sizes) =>
      sizes
        ? `a new conversation with ${who} begins: ${sizes}; the board and the team stay; /transcript ${who} shows what was said before`
        : `the conversation with ${who} is new`,
    ),
  },
  ...takeAway,
  run: runFile,
  quit: {
    usage: "/quit",
    about:
      "leave and stop the team, unless another terminal shows it; its state is kept, and ekiden resumes it",
    run: async ({ quit }) => quit(),
  },
};

const orAll = (who: string | undefined): Name | null => (who === undefined ? null : name(who));

type Sizes = { readonly before: number; readonly after: number } | null;

/** A command that replaces a member's conversation. `words`: with the sizes, or null where there was nothing to replace. */
function replacing(
  anew: boolean,
  words: (who: string, sizes: string | null) => string,
): OwnCommands<ReplContext>[string]["run"] {
  return async ({ host, call }, [who]) => {
    const target = who === undefined ? LEAD : name(who);
    const { data } = await host.order({ kind: "compact", who: target, anew });
    const done = data as Sizes;
    const sizes = done && `${tokens(done.before)} → ${tokens(done.after)} tokens`;
    call.done({ data: { name: target, ...done }, text: words(target, sizes) });
  };
}

const ALIASES: Readonly<Record<string, string>> = {
  exit: "quit",
  q: "quit",
  "?": "help",
  board: "tasks",
  new: "clear",
  reset: "clear",
  plans: "requests",
};

/** Slash commands that are written in another way than on the command line. */
const SHORTER: Readonly<Record<string, (words: readonly string[], line: string) => readonly string[]>> = {
  // `/plan` shows the planned board, `/plan ID yes` answers the plan of a member.
  plan: (words, line) =>
    words.length === 0 || /^(?:begin|up|down)$/.test(words[0] ?? "")
      ? ["plan", ...words]
      : asTyped("answer", 2, line),
  answer: (_, line) => asTyped("answer", 2, line),
  send: (_, line) => asTyped("send", 1, line),
  inbox: (words) => ["inbox", ...(words.length === 0 ? ["person"] : words)],
  log: ([first = "20", ...more]) =>
    /^\d+$/.test(first) ? ["log", "-n", first, ...more] : ["log", first, ...more],
};

/** An invocation for slash commands: it prints to a conversation and works on its team. */
export const printingTo = (call: Invocation, store: Store, out: Terminal): Invocation => ({
  ...call,
  out,
  err: out,
  store,
  show: async (data, views) => {
    const shown = (): string[] => views(data).map((view) => lines(out, view).join("\n"));
    out.write(call.json ? jsonLine(data) : shown().join("\n\n"));
  },
  done: ({ data, text }) => out.write(call.json ? jsonLine(data) : clean(text)),
  say: (text) => {
    if (!call.json) out.write(clean(text));
  },
});

/** A path at the beginning of a line, such as "/tmp/a.log is empty", is a text. */
export const isCommand = (line: string): boolean => /^\/[^\s/]*(?:\s|$)/.test(line.trim());

/** Runs a line that begins with a slash. @throws EkidenError `bad_input` for an unknown one, with the nearest */
export async function slash(context: ReplContext, line: string): Promise<void> {
  const [, typed = "", rest = ""] = /^\/(\S*)\s*(.*)$/s.exec(line.trim()) ?? [];
  const word = Object.hasOwn(ALIASES, typed) ? (ALIASES[typed] ?? typed) : typed;
  const own = context.own?.(word);
  if (own) return await own(split(rest));
  if (Object.hasOwn(OWN, word)) return await OWN[word]?.run(context, split(rest));
  const args = Object.hasOwn(SHORTER, word) ? SHORTER[word]?.(split(rest), rest) : [word, ...split(rest)];
  await runShared(context, word, args ?? [], line);
}

async function runShared(
  context: ReplContext,
  word: string,
  args: readonly string[],
  line: string,
): Promise<void> {
  const { call, quit } = context;
  const entry = SHARED.find((one) => nameOf(one) === args[0]);
  if (!entry) {
    const typed = /^\S*\s*(.*)$/s.exec(line.trim())?.[1] ?? "";
    const message = await ownMessage(call, word, typed, split(typed), context.tell !== undefined);
    if (message === null) throw unknownSlash(word);
    if (message !== "") await context.tell?.(message);
    return;
  }
  const program = new Command("").exitOverride().helpCommand(false);
  program.configureOutput({ writeOut: (text) => call.out.write(text), outputError: () => {} });
  const run = async ({ args: words, options }: Chosen): Promise<void> => {
    await (await entry.load()).run(call, words, options as never);
    if (nameOf(entry) === "stop" && [undefined, "all", LEAD].includes(words[0])) quit();
  };
  addCommand(program, entry, run, "/");
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    const fault = faultOf(error);
    if (fault !== null) throw fault;
  }
}

/** Commands of other terminals and of the full screen, and their substitutes here. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  agents: "See /team.",
  find: "It needs the full screen. Here there is /transcript NAME.",
  status: "See /team, /model, /mode and /cost.",
  review: "It needs the full screen, or the page: ekiden web. Here there is /diff.",
  panel: "It needs the full screen. Here there are /tasks and /inbox.",
  permissions: "See /mode and /requests.",
  to: "It needs the full screen. Here there are /send NAME TEXT and /transcript NAME.",
};

function unknownSlash(word: string): EkidenError {
  const instead = Object.hasOwn(ELSEWHERE, word)
    ? ELSEWHERE[word]
    : OUTSIDE.includes(word) && `It works outside of the conversation: ekiden ${word}.`;
  if (instead) return badInput(`unknown command ${quote(`/${word}`)}. ${instead}`);
  return unknownCommand(word, SHARED, {
    more: [...Object.keys(OWN), ...Object.keys(ALIASES), "plan"],
    prefix: "/",
    otherwise: " See /help.",
  });
}

/** Words at blanks; a quoted text is one word. A quote inside a word, as in "don't", is a letter. */
const split = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"(?=\s|$)|'([^']*)'(?=\s|$)|\S+/g)].map(
    ([word, double, single]) => double ?? single ?? word,
  );

/** `count` words and options before them, then a text exactly as it was typed. */
function asTyped(command: string, count: number, line: string): string[] {
  const options = /^(?:--?\w+\s+)*/.exec(line.trim())?.[0] ?? "";
  const given = line.trim().slice(options.length);
  let at = 0;
  for (let i = 0; i < count; i += 1) at += /^\S*\s*/.exec(given.slice(at))?.[0].length ?? 0;
  const text = given.slice(at);
  return [command, ...split(options), "--", ...split(given.slice(0, at)), ...(text === "" ? [] : [text])];
}

/** For the tab key. */
export const completions = (line: string): string[] =>
  [...SHARED.map(nameOf), ...Object.keys(OWN)]
    .map((word) => `/${word}`)
    .filter((word) => word.startsWith(line))
    .sort();

/** For a menu, in alphabetical order. */
export const offeredCommands = (): { readonly name: string; readonly about: string }[] =>
  [
    ...SHARED.map((entry) => ({ name: nameOf(entry), about: entry.about })),
    ...Object.entries(OWN).map(([name, { about }]) => ({ name, about })),
  ].sort((a, b) => a.name.localeCompare(b.name));

const HELP: readonly Described[] = [
  ...SHARED.map((entry: Entry) => ({ usage: `/${entry.usage}`, about: entry.about })),
  ...Object.values(OWN).map(({ usage, about }) => ({ usage, about })),
];

const help = (commands: readonly Described[]): View[] => [
  {
    kind: "figures",
    figures: [
      ...commands.map(({ usage, about }) => ({ label: usage, text: about })),
      { label: "anything else", text: "goes to the lead" },
    ],
  },
];
