/** `/diff`, `/copy`, `/export`: the work of the team, and the words of a member, to look at or to take elsewhere. */
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { textOf } from "../../../core/conversation/chat.ts";
import { badInput, notFound } from "../../../core/errors.ts";
import { LEAD, quote } from "../../../core/ids.ts";
import { transcriptMarkdown } from "../../../core/views/transcript-markdown.ts";
import { transcript } from "../../../team/queries/transcript.ts";
import { clean } from "../../kit/terminal.ts";
import type { OwnCommands, ReplContext } from "./context.ts";

/** The lines of a diff that are shown at a time. */
const LINES_MAX = 400;
/** The entries at the end of a conversation; an answer of a member is among them. */
const LAST_ENTRIES = 60;
/** xterm and others ignore more, as base64. */
const CLIPBOARD_MAX = 74_994;

export const takeAway: OwnCommands<ReplContext> = {
  diff: {
    usage: "/diff [PATH]",
    about: "what the folder has changed since the last run began, with the tasks that changed it",
    run: async ({ host, call }, [path = ""]) => {
      const { OutcomeReader } = await import("../../../team/queries/outcome.ts");
      const { began, diff, tasks } = await new OutcomeReader(host.store, call.cwd).read(false);
      const since = began ?? Date.now();
      if (diff === null && began !== null)
        throw badInput("This folder is not a git repository: there is nothing to compare with.");
      const files = filesOf(diff ?? "").filter((one) => isBelow(one.path, path));
      if (call.json)
        return call.done({ data: { since, files: files.map((one) => one.path), diff }, text: "" });
      if (files.length === 0)
        return call.say(
          path === "" ? "Nothing has changed since the run began." : `${quote(path)} has not changed.`,
        );
      const painted = files.flatMap((one) => [
        call.out.paint(
          "strong",
          [clean(one.path), ...(tasks[one.path] ?? []).map((id) => `#${id}`)].join(" · "),
        ),
        ...one.lines.map((line) => call.out.paint(toneOf(line), clean(line).replaceAll("\t", "    "))),
      ]);
      const left = painted.length - LINES_MAX;
      const more =
        left > 0 ? [call.out.paint("dim", `… ${left} more lines; /diff PATH shows one file or folder`)] : [];
      call.out.write(`${[...painted.slice(0, LINES_MAX), ...more].join("\n")}\n`);
    },
  },
  copy: {
    usage: "/copy [NAME]",
    about: "copy the last answer of a member (default: the lead) to the clipboard of your terminal",
    run: async ({ host, call }, [who = LEAD]) => {
      const { name } = await transcript(host.store, who, Number.MAX_SAFE_INTEGER);
      const said = (await host.store.transcript.last(name, LAST_ENTRIES))
        .map(({ entry }) => (entry.kind === "said" ? textOf(entry.message).trim() : ""))
        .findLast((text) => text !== "");
      if (said === undefined) {
        await transcript(host.store, who); // nobody of this name may be there
        throw notFound(`${name} has not said anything lately.`);
      }
      const text = Buffer.from(said).toString("base64");
      if (!process.stdout.isTTY || text.length > CLIPBOARD_MAX)
        throw badInput(
          `${process.stdout.isTTY ? "The answer is too long for the clipboard of a terminal" : "This is not a terminal, so there is no clipboard"}. Write it to a file: /export FILE.md ${name}`,
        );
      // OSC 52. A terminal that does not know it, or forbids it, ignores it.
      process.stdout.write(`\x1b]52;c;${text}\x07`);
      call.done({
        data: { name, characters: said.length },
        text: `the last answer of ${name} (${said.length} characters) was sent to the clipboard of this terminal`,
      });
    },
  },
  export: {
    usage: "/export FILE [NAME]",
    about: "write the full conversation with a member (default: the lead) to a Markdown file",
    run: async ({ host, call }, [file, who = LEAD]) => {
      if (file === undefined) throw badInput("/export needs a file: /export conversation.md");
      const data = await transcript(host.store, who);
      const path = resolve(call.cwd, file);
      await writeFile(path, transcriptMarkdown(data), { flag: "wx", mode: 0o600 }).catch(
        (error: NodeJS.ErrnoException) => {
          if (error.code !== "EEXIST") throw badInput(`${path} cannot be written: ${error.message}`);
          throw badInput(`${path} already exists. Name another file.`);
        },
      );
      call.done({
        data: { file: path, entries: data.entries.length },
        text: `the conversation of ${data.name} is in ${path}`,
      });
    },
  },
};

type FileDiff = { readonly path: string; readonly lines: readonly string[] };

/** Without the heads that git writes before the first hunk, except what says that a file is new, removed or binary. */
const filesOf = (diff: string): FileDiff[] =>
  diff
    .split(/^(?=diff --git )/m)
    .filter((part) => part.startsWith("diff --git "))
    .map((part) => {
      const [head = "", ...lines] = part.trimEnd().split("\n");
      const path = /^diff --git (?:"?a\/.*?) "?b\/(.*?)"?$/.exec(head)?.[1] ?? head;
      return { path, lines: lines.filter((line) => !/^(?:index |--- |\+\+\+ )/.test(line)) };
    });

const isBelow = (path: string, wanted: string): boolean => {
  const folder = wanted.replace(/^\.\//, "").replace(/\/$/, "");
  return ["", ".", path].includes(folder) || path.startsWith(`${folder}/`);
};

const toneOf = (line: string): "good" | "bad" | "busy" | "plain" =>
  line.startsWith("+") ? "good" : line.startsWith("-") ? "bad" : line.startsWith("@@") ? "busy" : "plain";
