/**
 * Commands of the person (`!git status`): in their own shell, with their own rights, only shown. The output is on the screen as it
 * comes. A command ends with Esc, and with the screen: nothing that it started stays behind.
 */
import { join } from "node:path";
import { badInput, messageOf } from "../../../core/errors.ts";
import { span } from "../../../core/views/view.ts";
import type { ShellResult } from "../../../ports/index.ts";
import type { Invocation } from "../../kit/invocation.ts";
import { Kept } from "../draw/kept.ts";
import { exact, type Style, safe, shortened, wrapped } from "../draw/style.ts";
import type { Screen } from "../screen.ts";
import type { Block, Look } from "../story/feed.ts";

/** Lines that are shown while a command runs, and when it has ended. */
const RUNNING_LINES = 12;
const ENDED_LINES = 200;
/** Characters of the output that are kept. */
const KEPT_MAX = 100_000;
const TICK_MS = 500;

export class PersonShell {
  private readonly running = new Map<AbortController, Promise<void>>();

  /** Resolves when the command has ended. @throws EkidenError `bad_input` for no command */
  async run(call: Invocation, screen: Screen, command: string): Promise<void> {
    if (command === "") throw badInput("! runs a command of your shell, such as: !git status");
    const ending = new AbortController();
    const block = new CommandBlock(screen.style, command);
    screen.put(block);
    const done = this.execute(call, screen, block, ending.signal);
    this.running.set(ending, done);
    await done;
    this.running.delete(ending);
  }

  /** Ends all of them. Whether there was one. */
  interrupt(): boolean {
    for (const ending of this.running.keys()) ending.abort();
    return this.running.size > 0;
  }

  /** Ends all of them; resolves when nothing of them runs. */
  async close(): Promise<void> {
    this.interrupt();
    await Promise.all(this.running.values());
  }

  private async execute(
    { env, cwd }: Invocation,
    screen: Screen,
    block: CommandBlock,
    signal: AbortSignal,
  ): Promise<void> {
    const { createShell } = await import("../../../adapters/shell/index.ts");
    const shell = createShell({ outputDir: join(cwd, ".ekiden", "output"), env });
    const tick = setInterval(() => screen.changed(), TICK_MS).unref();
    const decoder = new TextDecoder();
    try {
      const result = await shell.exec(env.SHELL || "/bin/sh", ["-c", block.command], {
        ...{ cwd, signal, timeoutMs: Number.POSITIVE_INFINITY, keepBytes: KEPT_MAX, unconfined: true },
        env: Object.fromEntries(Object.entries(env).filter((one): one is [string, string] => !!one[1])),
        onOutput: (chunk) => {
          block.output(decoder.decode(chunk, { stream: true }));
          screen.changed();
        },
      });
      block.end(howEnded(result));
    } catch (error) {
      block.end(signal.aborted ? "ended by you" : messageOf(error));
    } finally {
      clearInterval(tick);
      await shell.close();
      screen.changed();
    }
  }
}

const howEnded = ({ exitCode, signal }: ShellResult): string =>
  exitCode === 0 ? "" : signal ? `ended by ${signal}` : `exit code ${exitCode}`;

class CommandBlock implements Block {
  readonly command: string;
  private readonly style: Style;
  private readonly kept = new Kept();
  private readonly began = Date.now();
  private text = "";
  private cut = false;
  private how: string | null = null;

  constructor(style: Style, command: string) {
    this.style = style;
    this.command = command;
  }

  output(text: string): void {
    const all = this.text + text;
    this.cut ||= all.length > KEPT_MAX;
    this.text = all.slice(-KEPT_MAX);
  }

  end(how: string): void {
    this.how = how;
  }

  lines(look: Look): readonly string[] {
    if (this.how !== null) return this.kept.lines(`${look.width}`, () => this.linesNow(look, ENDED_LINES));
    return this.linesNow(look, RUNNING_LINES);
  }

  private linesNow({ width, now }: Look, most: number): string[] {
    const { paint } = this.style;
    const { how } = this;
    const time = how === null ? paint("dim", ` ${span(Math.max(0, now - this.began))} · esc ends it`) : "";
    const whole = safe(this.text).trimEnd();
    const all = whole === "" ? [] : whole.split("\n");
    const hidden = Math.max(0, all.length - most);
    return [
      "",
      ...wrapped(`${paint("warn", "!")} ${paint("strong", exact(this.command))}${time}`, width),
      ...(hidden > 0 || this.cut ? [paint("dim", `  … ${this.cut ? "many" : hidden} earlier lines`)] : []),
      ...all
        .slice(-most)
        .flatMap((line) => (how === null ? [shortened(`  ${line}`, width)] : wrapped(line, width, "  "))),
      ...(how === null || how === "" ? [] : [`  ${paint("bad", how)}`]),
    ];
  }
}
