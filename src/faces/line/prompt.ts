/**
 * The line at which the person types, below everything that is printed: answers to the question that waits, commands, and words for the
 * lead.
 */
import { createInterface, type Interface } from "node:readline";
import { checkText } from "../../core/board/mail.ts";
import { imageLine } from "../../core/conversation/image.ts";
import { messageOf } from "../../core/errors.ts";
import type { MailId } from "../../core/ids.ts";
import type { TeamHost } from "../../host/team-host.ts";
import { modelsHere } from "../../project/models-here.ts";
import { answer } from "../../team/actions/answer.ts";
import { attachedTo } from "../../team/actions/mail.ts";
import type { ReplContext } from "../commands/slash/context.ts";
import { isCommand, printingTo, slash } from "../commands/slash/slash.ts";
import { completing } from "../commands/slash/values.ts";
import type { Invocation } from "../kit/invocation.ts";
import { clean } from "../kit/terminal.ts";
import type { Output } from "./output.ts";
import { PromptQuestions } from "./questions.ts";

export type Place = { readonly call: Invocation; readonly host: TeamHost; readonly output: Output };

/** What the keys do that end something. */
export type Keys = {
  /** The key that leaves a question for later. */
  readonly later: string;
  /** Ctrl-C. */
  interrupt(): void;
  /** Ctrl-D, or a terminal that is gone. Whether the prompt comes back. */
  end(prompt: Prompt): boolean;
  /** `/quit`. */
  quit(): void;
};

export class Prompt {
  readonly questions: PromptQuestions;
  private readonly place: Place;
  private readonly keys: Keys;
  private readonly context: ReplContext;
  private input: Interface;
  private closing = false;

  /** `stream`: the terminal of the output. */
  constructor(place: Place, stream: NodeJS.WriteStream, keys: Keys) {
    const { output, host } = place;
    this.place = place;
    this.keys = keys;
    this.context = contextOf(place, keys, (text) => this.tellLead(text));
    const fail = (error: unknown): void => output.write(clean(messageOf(error)));
    this.questions = new PromptQuestions(
      output,
      (...given) => void answer(host.store, ...given).catch(fail),
      keys.later,
    );
    this.input = this.open(stream);
  }

  close(): void {
    this.closing = true;
    this.place.output.attach(null);
    this.input.close();
  }

  private open(stream: NodeJS.WriteStream): Interface {
    const { call, host, output } = this.place;
    const models = async (): Promise<readonly string[]> =>
      await modelsHere(await call.settings(), host.models.values());
    const completer = completing(models, call.cwd);
    const input = createInterface({ input: process.stdin, output: stream, prompt: "> ", completer });
    input.on("line", (line) => {
      if (!this.questions.answer(line))
        void takeLine(this.context, output, line, (text) => this.tellLead(text));
    });
    input.on("SIGINT", () => this.keys.interrupt());
    input.on("close", () => {
      if (this.closing) return;
      output.attach(null);
      if (this.keys.end(this) && !process.stdin.readableEnded) this.input = this.open(stream);
      this.questions.show();
    });
    output.attach(input);
    return input;
  }

  private async tellLead(line: string): Promise<MailId> {
    const { call, host, output } = this.place;
    const images = await attachedTo(checkText(line), call.cwd).catch((error: unknown) => {
      if (this.input.line === "") this.input.write(line); // to be corrected
      throw error;
    });
    if (images.length > 0) output.write(output.out.paint("dim", clean(images.map(imageLine).join("\n"))));
    return await host.tellLead(line, images);
  }
}

/** For commands: they print to the output. `tell`: missing where the words may be those of somebody else. */
export const contextOf = (
  { call, host, output }: Place,
  { quit }: Pick<Keys, "quit">,
  tell?: (text: string) => Promise<unknown>,
): ReplContext => ({
  host,
  call: printingTo(call, host.store, { ...output.out, write: (text) => output.write(text) }),
  quit,
  ...(tell && { tell }),
});

/** Runs a command, or passes the words on. The mail that it became. A failure is printed. */
export async function takeLine(
  context: ReplContext,
  output: Output,
  line: string,
  tellLead: (text: string) => Promise<MailId>,
): Promise<MailId | null> {
  try {
    if (line.trim() === "") return null;
    if (!isCommand(line)) return await tellLead(line);
    await slash(context, line);
  } catch (error) {
    output.write(output.out.paint("bad", clean(messageOf(error))));
  } finally {
    output.prompt();
  }
  return null;
}
