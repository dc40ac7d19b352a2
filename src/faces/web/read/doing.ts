/** The present work of the members, from the ends of their conversations. Each conversation is read once, then what was added. */
import { sep } from "node:path";
import { sizeOf, tailOf } from "../../../adapters/tail.ts";
import type { Job } from "../../../core/board/job.ts";
import { callsOf, type ToolCall, textOf } from "../../../core/conversation/chat.ts";
import type { Name } from "../../../core/ids.ts";
import { windowOf } from "../../../core/settings/models.ts";
import type { Settings } from "../../../core/settings/settings.ts";
import { KEPT, lastPrinted } from "../../../core/text/live-output.ts";
import { inOurNames } from "../../../core/tool-names.ts";
import { callText } from "../../../core/views/call-text.ts";
import type { Recorded, Store } from "../../../ports/index.ts";
import type { Project } from "../project.ts";
import type { Doing } from "../wire.ts";

const TAIL = 1_200;

type Seen = {
  after: number;
  readonly open: Map<string, { readonly call: ToolCall; readonly at: number }>;
  said: string;
  output: string;
  reading: Promise<void>;
};

export class DoingReader {
  private readonly store: Store;
  private readonly outputDir: string;
  private readonly redact: (text: string) => string;
  private readonly settings: Settings;
  private readonly seen = new Map<Name, Seen>();

  /** Output of background commands is read from files in `outputDir` only. */
  constructor(store: Store, outputDir: string, { redact, settings }: Pick<Project, "redact" | "settings">) {
    this.store = store;
    this.settings = settings;
    this.outputDir = outputDir;
    this.redact = redact;
  }

  async read(who: Name, context: number | null): Promise<Doing> {
    const seen = await this.caughtUp(who);
    const running = (await this.store.jobs.list(who)).filter((job) => job.state === "running");
    const last = [...seen.open.values()].at(-1);
    const tail = last || !running[0] ? "" : await this.printedBy(running[0]);
    return {
      name: who,
      call: last ? { tool: last.call.tool, text: callText(last.call).slice(0, TAIL), at: last.at } : null,
      said: seen.said,
      output: tail || seen.output,
      context,
      filled: context === null ? null : await this.filled(who, context),
      jobs: running.map((job) => ({ id: job.id, command: job.command, at: job.startedAt })),
    };
  }

  /** Nobody knows the window of an agent program. */
  private async filled(who: Name, context: number): Promise<number | null> {
    const { models, model: usual = "" } = this.settings;
    const model = (await this.store.roster.member(who))?.model || usual;
    if (!model.includes("/")) return null;
    return context / windowOf(model.slice(model.indexOf("/") + 1), models[model]);
  }

  /** The call that waits, as its member made it. */
  async openCall(who: Name, tool: string, subject: string): Promise<ToolCall | undefined> {
    const seen = await this.caughtUp(who);
    const calls = [...seen.open.values()]
      .map(({ call }) => call)
      .filter((call) => inOurNames(call).tool === tool);
    return calls.find((call) => callText(call).startsWith(subject)) ?? calls[0];
  }

  private async caughtUp(who: Name): Promise<Seen> {
    const seen = this.seen.get(who) ?? {
      after: 0,
      open: new Map(),
      said: "",
      output: "",
      reading: Promise.resolve(),
    };
    this.seen.set(who, seen);
    seen.reading = seen.reading.catch(() => {}).then(() => this.readOn(who, seen));
    await seen.reading;
    return seen;
  }

  private async readOn(who: Name, seen: Seen): Promise<void> {
    for await (const page of this.store.transcript.pages(who, seen.after)) {
      for (const recorded of page) take(seen, recorded);
      seen.after = page.at(-1)?.seq ?? seen.after;
    }
  }

  /** The file has a random name: it is not there for a job of another machine. */
  private async printedBy({ outputPath }: Job): Promise<string> {
    if (!outputPath.startsWith(this.outputDir + sep)) return "";
    const text = await tailOf(outputPath, KEPT);
    return lastPrinted(text, (await sizeOf(outputPath)) > KEPT, this.redact);
  }
}

function take(seen: Seen, { at, entry }: Recorded): void {
  if (entry.kind === "said") {
    // A reply whose calls never got an answer is older than a crash.
    seen.open.clear();
    for (const call of callsOf(entry.message)) seen.open.set(call.id, { call, at });
    const text = textOf(entry.message);
    if (text !== "") seen.said = text.slice(0, TAIL);
  } else if (entry.kind === "result") {
    seen.open.delete(entry.result.id);
    seen.output = entry.result.text.slice(-TAIL);
  } else if (entry.kind === "summary") seen.open.clear();
}
