/**
 * The output of the REPL around the line that is being typed: a streamed answer, news, results of commands. All output goes above
 * the prompt, and the line typed so far is shown again below it.
 */
import type { Interface } from "node:readline";
import { clean, type Terminal } from "../kit/terminal.ts";
import { hideTyped, showTyped } from "../kit/typed-line.ts";
import { Streamed } from "./streamed.ts";

export class ReplScreen {
  private streaming = false;
  private atLineStart = true;
  private held: string[] = [];
  private readonly out: Terminal;
  private readonly lines: Interface;
  private readonly interactive: boolean;
  private readonly streamed: Streamed;
  private silent = false;

  constructor(out: Terminal, lines: Interface, interactive: boolean) {
    this.out = out;
    this.lines = lines;
    this.interactive = interactive;
    this.streamed = new Streamed(() => out.width());
  }

  /** A piece of the lead's answer. */
  stream(text: string): void {
    if (this.silent) return;
    const safe = clean(text);
    if (safe === "") return;
    if (!this.streaming) this.clearPrompt();
    this.streaming = true;
    this.put(this.streamed.take(safe));
  }

  /** Whether anything was streamed since the last end. */
  endStream(): boolean {
    if (!this.streaming) return false;
    this.streaming = false;
    this.put(this.streamed.end());
    if (!this.atLineStart) this.out.write("\n");
    this.atLineStart = true;
    for (const text of this.held) this.out.write(text);
    this.held = [];
    this.prompt();
    return true;
  }

  /** Whole lines; while an answer streams they wait for its end. */
  write(text: string): void {
    if (this.silent || text === "") return;
    const whole = text.endsWith("\n") ? text : `${text}\n`;
    if (this.streaming) {
      this.held.push(whole);
      return;
    }
    this.clearPrompt();
    this.out.write(whole);
    this.prompt();
  }

  /** While an answer streams, its end brings the prompt. */
  prompt(): void {
    if (this.interactive && !this.silent && !this.streaming) showTyped(this.lines, this.out);
  }

  promptIs(text: string): void {
    this.lines.setPrompt(text);
  }

  /** Nothing is written any more. */
  close(): void {
    this.endStream();
    this.clearPrompt();
    this.silent = true;
  }

  private put(text: string): void {
    if (text === "") return;
    this.out.write(text);
    this.atLineStart = text.endsWith("\n");
  }

  private clearPrompt(): void {
    if (this.interactive) hideTyped(this.lines, this.out);
  }
}
