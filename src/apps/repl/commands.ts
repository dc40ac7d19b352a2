/** The commands that begin with a slash. A new one is one entry in `COMMANDS`. */
import { EkidenError } from "../../core/errors.ts";
import type { Event } from "../../core/event.ts";
import { LEAD, type Name, name, PERSON, quote, taskId } from "../../core/ids.ts";
import { checkText } from "../../core/mail.ts";
import { didYouMean } from "../../core/nearest.ts";
import type { Settings } from "../../core/settings.ts";
import { boardViews, taskViews } from "../../core/views/board.ts";
import { inboxViews } from "../../core/views/inbox.ts";
import { questionViews } from "../../core/views/request.ts";
import { journalView } from "../../core/views/sentence.ts";
import { teamViews } from "../../core/views/team.ts";
import { type Column, type FeedLine, money, tokens, type View } from "../../core/views/view.ts";
import { answered, answerRequest } from "../commands/answer.ts";
import { readInbox } from "../commands/inbox.ts";
import { readQuestions } from "../commands/requests.ts";
import { readBoard, readTask } from "../commands/tasks.ts";
import { readTeam } from "../commands/team.ts";
import { allEvents } from "../follow.ts";
import type { TeamHost } from "../host/host.ts";

export type ReplContext = {
  readonly host: TeamHost;
  readonly settings: Settings;
  quit(): void;
};

type CommandOutput = readonly View[] | string;
type ReplCommand = {
  readonly usage: string;
  readonly about: string;
  run(context: ReplContext, args: readonly string[], rest: string): Promise<CommandOutput>;
};

const COMMANDS: Readonly<Record<string, ReplCommand>> = {
  help: { usage: "/help", about: "this list", run: async () => [help()] },
  tasks: {
    usage: "/tasks [ID]",
    about: "the board, or one task with its history",
    run: async ({ host }, [id]) => {
      if (id === undefined) return boardViews(await readBoard(host.store));
      return taskViews(await readTask(host.store, taskId(id)));
    },
  },
  team: {
    usage: "/team",
    about: "who works on what, who is idle and why",
    run: async ({ host }) => teamViews(await readTeam(host.store)),
  },
  inbox: {
    usage: "/inbox [NAME]",
    about: "a mailbox (yours, or a member's), without consuming it",
    run: async ({ host }, [who]) =>
      inboxViews(await readInbox(host.store, who === undefined ? PERSON : name(who))),
  },
  send: {
    usage: "/send NAME TEXT",
    about: "mail to a member, or to all",
    run: async ({ host }, [to = ""], rest) => {
      const text = await host.passed(checkText(rest.slice(to.length).trim()), to);
      if (to === "all") {
        const names = await host.store.mail.broadcast(PERSON, { kind: "broadcast", text });
        return names.length > 0 ? `sent to ${names.join(", ")}` : "there is nobody to send it to";
      }
      await host.store.mail.send(PERSON, { to: name(to), body: { kind: "note", text } });
      return `sent to ${to}`;
    },
  },
  plan: {
    usage: "/plan [ID yes|no [TEXT]]",
    about: "plans and other questions that wait; or answer one",
    run: async ({ host }, [id, word = ""], rest) => {
      if (id === undefined) return questionViews(await readQuestions(host.store));
      const text = rest.replace(/^\S+\s*\S*\s*/, "");
      return answered(await answerRequest(host.store, id, word, text));
    },
  },
  log: {
    usage: "/log [N]",
    about: "the last N facts of the journal (default 20)",
    run: async ({ host }, [count = "20"]) => {
      if (!/^[1-9]\d*$/.test(count))
        throw new EkidenError("bad_input", `/log ${quote(count)}: write how many facts, such as /log 50.`);
      const last: Event[] = [];
      for await (const events of allEvents(host.store.journal, host.store.journal.from(0))) {
        last.push(...events);
        last.splice(0, Math.max(0, last.length - Number(count)));
      }
      return [journalView(last)];
    },
  },
  cost: {
    usage: "/cost",
    about: "tokens and money, by member",
    run: async ({ host }) => [await costs(host)],
  },
  model: {
    usage: "/model",
    about: "which model each member uses",
    run: async ({ host, settings }) => {
      const members = await host.store.roster.members();
      const line = (who: string, text: string): FeedLine => ({ at: null, who, text, tone: "plain" });
      const team = settings.model ?? "chosen by what is configured";
      const lines = members.map((member) => line(member.name, member.model || team));
      return [
        {
          kind: "feed",
          lines: [...lines, line("", "To change it: leave with /quit, then ekiden --model PROVIDER/MODEL")],
          empty: "",
        },
      ];
    },
  },
  compact: {
    usage: "/compact [NAME]",
    about: "sum up a member's conversation (the lead's), to free its context",
    run: async ({ host }, [who]) => {
      const target = who === undefined ? LEAD : name(who);
      const done = await host.compact(target);
      if (!done) return `there is nothing to sum up in the conversation of ${target}`;
      return `the conversation of ${target} was summed up: ${tokens(done.before)} → ${tokens(done.after)} tokens; ekiden transcript ${target} shows all of it`;
    },
  },
  stop: {
    usage: "/stop [NAME]",
    about: "ask a member to stop; without a name, everybody, and leave",
    run: async ({ host, quit }, [who]) => {
      const target: Name | undefined = who === undefined ? undefined : name(who);
      await host.stop(target);
      if (target === undefined || target === LEAD) quit();
      return target === undefined ? "the team has stopped" : `${target} was asked to stop`;
    },
  },
  quit: {
    usage: "/quit",
    about: "leave; the team's state is kept, ekiden resume goes on",
    run: async ({ quit }) => {
      quit();
      return "";
    },
  },
};
const ALIASES: Readonly<Record<string, string>> = {
  exit: "quit",
  q: "quit",
  "?": "help",
  board: "tasks",
  plans: "plan",
  requests: "plan",
  answer: "plan",
};

/** Runs a line that begins with a slash. @throws EkidenError `bad_input` for an unknown one, with the nearest */
export async function slash(context: ReplContext, line: string): Promise<CommandOutput> {
  const [, word = "", rest = ""] = /^\/(\S*)\s*(.*)$/s.exec(line.trim()) ?? [];
  const known = Object.hasOwn(ALIASES, word) ? (ALIASES[word] ?? word) : word;
  const command = Object.hasOwn(COMMANDS, known) ? COMMANDS[known] : undefined;
  if (!command)
    throw new EkidenError(
      "bad_input",
      `there is no /${word}.${
        didYouMean(
          `/${word}`,
          Object.keys(COMMANDS).map((one) => `/${one}`),
        ) || " See /help."
      }`,
    );
  return command.run(
    context,
    rest.split(/\s+/).filter((part) => part !== ""),
    rest.trim(),
  );
}

/** For the tab key. */
export const completions = (line: string): string[] =>
  Object.keys(COMMANDS)
    .map((word) => `/${word}`)
    .filter((word) => word.startsWith(line));

const help = (): View => ({
  kind: "figures",
  figures: [
    ...Object.values(COMMANDS).map(({ usage, about }) => ({ label: usage, text: about })),
    { label: "anything else", text: "goes to the lead" },
  ],
});

async function costs({ store }: TeamHost): Promise<View> {
  const members = await store.roster.members();
  const columns: Column[] = [
    { name: "name" },
    { name: "turns", align: "right" },
    { name: "read", align: "right" },
    { name: "cached", align: "right" },
    { name: "written", align: "right" },
    { name: "cost", align: "right" },
  ];
  const sum = (of: (member: (typeof members)[number]) => number): number =>
    members.reduce((all, one) => all + of(one), 0);
  const row = (who: string, turns: number, input: number, cached: number, output: number, usd: number) =>
    [who, String(turns), tokens(input), tokens(cached), tokens(output), money(usd)].map((text) => ({ text }));
  const rows = members.map((m) => row(m.name, m.turns, m.inputTokens, m.cachedTokens, m.outputTokens, m.usd));
  const all = row(
    "all",
    sum((m) => m.turns),
    sum((m) => m.inputTokens),
    sum((m) => m.cachedTokens),
    sum((m) => m.outputTokens),
    sum((m) => m.usd),
  );
  return {
    kind: "table",
    columns,
    rows: members.length > 1 ? [...rows, all] : rows,
    empty: "Nobody has spent anything yet.",
  };
}
