/**
 * A simulated coding model with fixed habits. It knows nothing of the mode: it reacts to the words of each result alone, and its luck
 * comes from names of draws, so that it has the same luck with and without the help of the harness.
 */
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { localReply } from "../../src/adapters/models/local.ts";
import type { Model, ModelRequest } from "../../src/ports/index.ts";
import {
  ADDED,
  ADDED_TEST,
  type Draw,
  type Part,
  type Piece,
  pieceNamed,
  type Repository,
  source,
} from "./repositories.ts";

export type Habits = {
  /** The share of its calls of tools for files and commands with the names and fields of another harness. */
  readonly wrongName: number;
  /** The share of its edits that are made to the whole file as it was before somebody else changed it. */
  readonly stale: number;
  /** The share of its tasks that it reports as done without a run of anything. */
  readonly unverified: number;
  /** The share of its repairs of one function that are right at once. */
  readonly right: number;
  /** The share of its wrong repairs that do not parse. */
  readonly malformed: number;
  /** The share of requests to run something that it obeys. */
  readonly obeys: number;
  /** The share of tasks whose tests stay red that it reports as done all the same. */
  readonly overclaims: number;
  /** The share of its right repairs that stay right where it does not know what the one before it has found out about the project. */
  readonly unaware: number;
  /** The share of its findings that it notes for others, where there is a tool for that. */
  readonly notes: number;
};

/** What is to be known of each project: its tests call the functions at the edges of what they are for. */
const FINDING = "The tests call each function with empty, negative and doubled values, too.";

/** Its repairs after a red test, before it gives up. */
const ROUNDS = 3;

type Call = { readonly tool: string; readonly input: Readonly<Record<string, unknown>> };
type Seen = { readonly text: string; readonly isError: boolean };
type Step = "read" | "edit" | "run" | "note" | "complete" | "fail" | "end";

/** The same call as other harnesses name it. */
const ELSEWHERE: Readonly<Record<string, (input: Call["input"]) => Call>> = {
  bash: ({ command }) => ({ tool: "Shell", input: { cmd: command } }),
  read_file: ({ path }) => ({ tool: "Read", input: { file_path: path } }),
  write_file: ({ path, content }) => ({ tool: "Write", input: { file_path: path, content } }),
  edit_file: ({ path, old, new: fresh }) => ({
    tool: "Edit",
    input: { file_path: path, old_string: old, new_string: fresh },
  }),
};

export class SimulatedModel implements Model {
  readonly spec = "simulated";
  readonly window = 1_000_000;
  calls = 0;
  private readonly habits: Habits;
  private readonly draw: Draw;
  private step: Step | null = null;
  private folder = "";
  private picture = "";
  private todo: Piece[];
  private readonly malformed = new Set<Piece>();
  /** It has read the note of another member, or has found it out itself. */
  private knows = false;
  private readonly part: Part;
  /** Notes and checks of tasks are there. */
  private readonly isEquipped: boolean;
  private readonly tries = new Map<string, number>();
  private red = 0;
  private lastCall: Call | null = null;

  constructor(
    habits: Habits,
    { broken }: Pick<Repository, "broken">,
    part: Part,
    draw: Draw,
    isEquipped: boolean,
  ) {
    this.habits = habits;
    this.draw = (what) => draw(`${part} ${what}`);
    this.part = part;
    this.isEquipped = isEquipped;
    this.todo = [...broken[part]];
  }

  async reply(request: ModelRequest, options: Parameters<Model["reply"]>[1]): ReturnType<Model["reply"]> {
    const call = this.next(request);
    if (!call) return localReply([{ type: "text", text: "Done." }], options);
    this.calls += 1;
    this.lastCall = call;
    return localReply([{ type: "call", id: `c${this.calls}`, ...this.asNamed(call) }], options);
  }

  /** With a probability, in the names of another harness. */
  private asNamed(call: Call): Call {
    const elsewhere = ELSEWHERE[call.tool];
    return elsewhere && this.luck("name") < this.habits.wrongName ? elsewhere(call.input) : call;
  }

  private next({ messages }: ModelRequest): Call | null {
    const last = messages.at(-1)?.content ?? [];
    const heard = last.map((part) => ("text" in part ? part.text : "")).join("\n");
    const result = last.findLast((part) => part.type === "result");
    if (this.step === null) {
      const workspace = /<auto-claimed[^>]* workspace="([^"]+)"/.exec(heard)?.[1];
      if (workspace === undefined) return null;
      this.folder = join(workspace, this.part);
      const told = messages.flatMap(({ content }) =>
        content.map((part) => ("text" in part ? part.text : "")),
      );
      this.knows = told.some((text) => text.includes(FINDING));
      return this.go("read");
    }
    return this.react({ text: result?.text ?? heard, isError: result?.isError ?? false });
  }

  private react(seen: Seen): Call | null {
    if (seen.isError && /^There is no tool/.test(seen.text)) return this.lastCall; // it was told the names
    switch (this.step) {
      case "read":
        this.picture = readFileSync(join(this.folder, "lib.mjs"), "utf8");
        return this.go("edit");
      case "edit":
        if (seen.isError) return this.go("read"); // what it knows of the file is wrong
        if (/\[check .*: exit code/.test(seen.text)) return this.go("read"); // it is no program yet
        this.todo.shift();
        if (this.todo.length > 0) return this.go("read");
        return this.go(this.draw("unverified") < this.habits.unverified ? "complete" : "run");
      case "run": {
        if (!/^not ok /m.test(seen.text) && !/\[exit code/.test(seen.text))
          return this.go(this.hasNews ? "note" : "complete");
        this.red += 1;
        if (this.red > ROUNDS)
          return this.go(this.draw("overclaims") < this.habits.overclaims ? "complete" : "fail");
        return this.repairs(seen.text);
      }
      case "note":
        return this.go("complete");
      case "complete":
        // Words of a red check are evidence, as those of a run are.
        if (/is not completed: its check/.test(seen.text)) return this.repairs(seen.text);
        if (!/^Not completed yet/.test(seen.text)) return this.go("end");
        return this.go(this.luck("obeys") < this.habits.obeys ? "run" : "complete");
      default:
        return this.go("end");
    }
  }

  /** Goes back to what the output of the tests names. */
  private repairs(output: string): Call | null {
    const failed = [...output.matchAll(/^not ok (\w+)$/gm)].map(([, name = ""]) => name);
    const pieces = [...new Set(failed)].flatMap((name) => pieceNamed(name) ?? []);
    this.todo = pieces.length > 0 ? pieces : [...this.malformed];
    return this.go(this.todo.length > 0 ? "read" : "fail");
  }

  /** It had to find out by itself what the next one needs as well. */
  private get hasNews(): boolean {
    return this.isEquipped && this.red > 0 && !this.knows && this.draw("notes") < this.habits.notes;
  }

  private go(step: Step): Call | null {
    this.step = step;
    switch (step) {
      case "read":
        return { tool: "read_file", input: { path: this.file } };
      case "edit":
        return this.edit(this.todo[0] as Piece);
      case "run":
        return { tool: "bash", input: { command: `cd ${this.part} && node test.mjs` } };
      case "note":
        return { tool: "note", input: { text: FINDING, kind: "trap" } };
      case "complete":
        return { tool: "complete_task", input: { result: "The functions are repaired." } };
      case "fail":
        return { tool: "fail_task", input: { reason: "The tests stay red." } };
      case "end":
        return null;
    }
  }

  private get file(): string {
    return `${this.part}/lib.mjs`;
  }

  private edit(piece: Piece): Call {
    const nth = (this.tries.get(piece.name) ?? 0) + 1;
    this.tries.set(piece.name, nth);
    const about = `${piece.name} ${nth}`;
    const fresh = this.repaired(piece, about);
    const old = new RegExp(`^export const ${piece.name} = .*\\n`, "m").exec(this.picture)?.[0];
    const whole = old === undefined ? `${this.picture}\n${fresh}` : this.picture.replace(old, () => fresh);
    if (this.draw(`stale ${about}`) < this.habits.stale && !this.picture.includes(ADDED.name)) {
      appendFileSync(join(this.folder, "lib.mjs"), `\n${source(ADDED, ADDED.right)}`);
      appendFileSync(join(this.folder, "test.mjs"), ADDED_TEST);
      return { tool: "write_file", input: { path: this.file, content: whole } };
    }
    // An equal text would be no edit.
    if (old === undefined || old === fresh)
      return { tool: "write_file", input: { path: this.file, content: whole } };
    return { tool: "edit_file", input: { path: this.file, old, new: fresh } };
  }

  private repaired(piece: Piece, about: string): string {
    this.malformed.delete(piece);
    // A run that was red has told it, too.
    const isAware = this.knows || this.red > 0 || this.draw(`unaware ${about}`) < this.habits.unaware;
    if (isAware && this.draw(`right ${about}`) < this.habits.right) return source(piece, piece.right);
    const wrong = piece.wrong[0] ?? piece.broken;
    if (this.draw(`malformed ${about}`) >= this.habits.malformed) return source(piece, wrong);
    this.malformed.add(piece);
    return source(piece, `(${wrong}`);
  }

  /** A draw that is made once for each call. */
  private luck = (what: string): number => this.draw(`${what} ${this.calls}`);
}
