/** The first minute without a model: agent programs that are here, providers, a key that is typed in, Ollama, or a look around without a model. */

import { homedir } from "node:os";
import { matchesKey } from "@earendil-works/pi-tui";
import type { Provider } from "../../../adapters/models/index.ts";
import { messageOf } from "../../../core/errors.ts";
import { fromHome } from "../../../core/paths/paths.ts";
import { keepKey, keysFile } from "../../../project/kept-keys.ts";
import { List } from "../draw/list.ts";
import { type Style, shortened, wrapped } from "../draw/style.ts";
import type { FullView } from "../tools.ts";

/** Variables and arguments with which the process of the team is started in addition. */
export type FirstModel = {
  readonly env: Readonly<Record<string, string>>;
  readonly words: readonly string[];
};

type Env = Readonly<Record<string, string | undefined>>;
type Place = {
  readonly style: Style;
  readonly env: Env;
  /** The project. */
  readonly folder: string;
  /** The reason why there is no model. */
  readonly why: string;
  /** A model that lacks only its key, as provider/model: the key is asked for. */
  readonly wanted?: string;
  /** Null: the person leaves. */
  chosen(model: FirstModel | null): void;
  changed(): void;
};
type Choice = { readonly name: string; readonly about: string; choose(): void };
type Typed = {
  readonly provider: Provider;
  text: string;
  isRefused: boolean;
  /** It is used; the person says whether it is kept, too. */
  isUsed: boolean;
  /** Something else was typed since that question: no letter answers it before the next enter. */
  isLine: boolean;
};

const KEY_MAX = 1_000;
const OTHERS = "Any other: ekiden --model PROVIDER/MODEL; ekiden doctor says what was found.";
const TITLE = "Which model shall the team use?";

export class FirstModelView implements FullView {
  private readonly place: Place;
  private readonly list = new List();
  private choices: readonly Choice[] = [];
  private ollama: string | null = null;
  /** A key that is being typed. */
  private typed: Typed | null = null;
  private said = "";
  private isAsking = false;

  constructor(place: Place) {
    this.place = place;
    void this.look();
  }

  /** The providers, and whether Ollama runs. */
  private async look(): Promise<void> {
    const [{ PROVIDERS }, { ollamaModel }, { agentPrograms }] = await Promise.all([
      import("../../../adapters/models/index.ts"),
      import("../../../adapters/models/vendors/ollama.ts"),
      import("../../../adapters/agents/look.ts"),
    ]);
    const keyed = PROVIDERS.filter((one) => one.keyVariable !== "" && one.defaultModel !== "");
    const { env, folder } = this.place;
    const [ollama, programs] = await Promise.all([ollamaModel(env), agentPrograms({ env, folder })]);
    this.ollama = ollama;
    const here = programs.filter(({ state }) => state !== "absent");
    const ready = here.filter(({ state }) => state === "ready");
    const lacking = here.filter(({ state }) => state !== "ready");
    this.choices = [
      ...[...ready, ...lacking].map((program) => ({
        name: program.name,
        about: `${program.title} is installed ${program.state === "ready" ? "and logged in: the lead, now and in later starts" : `· ${program.missing[0]} · enter checks again`}`,
        choose: () => (program.state === "ready" ? void this.lead(program.name) : void this.look()),
      })),
      ...keyed.map((provider) => ({
        name: provider.name,
        about: `${provider.defaultModel} · enter a key (${provider.keyVariable})`,
        choose: () => this.askKey(provider),
      })),
      {
        name: "ollama",
        about:
          this.ollama === null
            ? "not running, or without a model · enter checks again"
            : `${this.ollama} · on this machine, without a key`,
        choose: () => (this.ollama === null ? void this.lookAgain() : this.take({}, `ollama/${this.ollama}`)),
      },
      {
        name: "no model",
        about: "without a model: only the steps of runbooks (Markdown files) run",
        choose: () => this.take({}, "runbook"),
      },
    ];
    this.list.set(
      this.choices.map(({ name, about }) => ({
        id: name,
        text: name,
        actions: [],
        lines: () => [name, about],
      })),
    );
    const wanted = keyed.find(({ name }) => this.modelOf(name) !== null);
    if (wanted && this.typed === null) this.askKey(wanted);
    this.place.changed();
  }

  private askKey(provider: Provider): void {
    this.typed = { provider, text: "", isRefused: false, isUsed: false, isLine: false };
  }

  /** The wanted model where it is one of this provider. */
  private modelOf(provider: string): string | null {
    const { wanted = "" } = this.place;
    return wanted === provider || wanted.startsWith(`${provider}/`) ? wanted : null;
  }

  private async lookAgain(): Promise<void> {
    this.said = "looking for Ollama …";
    await this.look();
    this.said =
      this.ollama === null ? "Ollama does not answer, or has no model: ollama serve, ollama pull MODEL" : "";
    this.place.changed();
  }

  private take(env: FirstModel["env"], model: string): void {
    this.place.chosen({ env, words: ["--model", model] });
  }

  /** Where the choice cannot be kept, it holds for this start. */
  private async lead(program: string): Promise<void> {
    const { keepSetting } = await import("../../../project/keep-setting.ts");
    await keepSetting("lead", program).catch(() => {});
    this.place.chosen({ env: {}, words: ["--lead", program] });
  }

  lines(width: number, height: number): readonly string[] {
    const { paint } = this.place.style;
    const names = Math.max(0, ...this.choices.map(({ name }) => name.length));
    const rows = this.list.window(Math.max(1, height - 8), (row, isSelected) => {
      const [name = "", about = ""] = row.lines(width);
      const indent = " ".repeat(names + 5);
      // The row of the cursor is read whole.
      const [first = "", ...more] = isSelected ? wrapped(about, width, indent) : [`${indent}${about}`];
      const line = `${name.padEnd(names)}  ${paint("dim", first.trimStart())}`;
      return [
        shortened(isSelected ? `${paint("busy", " ›")} ${paint("strong", line)}` : `   ${line}`, width),
        ...more.map((text) => paint("dim", text)),
      ];
    });
    const body = [
      paint("strong", ` ${TITLE}`),
      // The list below says the rest.
      paint("dim", shortened(` ${/^.*?\.(?=\s|$)/s.exec(this.place.why)?.[0] ?? this.place.why}`, width)),
      "",
      ...(this.choices.length === 0 ? [paint("dim", "   looking for providers …")] : rows),
      "",
      ...(this.typed
        ? this.keyLines(this.typed, width)
        : wrapped(OTHERS, width, " ").map((line) => paint("dim", line))),
    ];
    const keys = this.typed?.isUsed
      ? "y keeps it · n uses it once · esc goes back"
      : this.typed
        ? "enter uses it · esc goes back"
        : "↑↓ select · enter chooses · esc leaves";
    const isSaid = this.said !== "";
    const foot = wrapped(isSaid ? this.said : keys, width, " ").map((line) =>
      paint(isSaid ? "warn" : "dim", line),
    );
    const shown = body.slice(0, height - foot.length);
    return [...shown, ...Array.from({ length: height - foot.length - shown.length }, () => ""), ...foot];
  }

  private keyLines({ provider, text, isRefused, isUsed }: Typed, width: number): string[] {
    const { paint } = this.place.style;
    const { keyVariable } = provider;
    const shown = "•".repeat(Math.min(text.length, width - keyVariable.length - 6));
    const next = `It is written nowhere before you agree to it.`;
    const keep = `Keep this key for the next start? It would be kept in ${fromHome(keysFile(), homedir())}, readable by you alone. Without that the team has it until its process ends.`;
    const refused = `${provider.name} refused this key, or could not be reached. Type another one, or press enter again to use it all the same.`;
    return [
      ` ${keyVariable}: ${shown}▏`,
      ...wrapped(isUsed ? keep : isRefused ? refused : next, width - 2, " ").map((line) =>
        paint(isUsed ? "strong" : isRefused ? "warn" : "dim", line),
      ),
    ];
  }

  key(data: string): void {
    this.said = "";
    if (this.isAsking) return;
    if (this.typed) this.type(data, this.typed);
    else if (matchesKey(data, "up")) this.list.move(-1);
    else if (matchesKey(data, "down")) this.list.move(1);
    else if (matchesKey(data, "escape")) this.place.chosen(null);
    else if (matchesKey(data, "enter"))
      this.choices.find(({ name }) => name === this.list.selected?.id)?.choose();
    this.place.changed();
  }

  closed(): void {
    this.place.chosen(null);
  }

  private type(data: string, typed: Typed): void {
    const pasted = data.startsWith("\x1b[200~") ? data.slice(6, -6).trim() : null;
    if (matchesKey(data, "escape")) this.typed = null;
    else if (typed.isUsed) this.settle(typed, data);
    else if (matchesKey(data, "enter")) void this.check(typed);
    else if (matchesKey(data, "backspace")) this.change(typed, typed.text.slice(0, -1));
    else if (/^[\x21-\x7e]+$/.test(pasted ?? data))
      this.change(typed, (typed.isRefused ? "" : typed.text) + (pasted ?? data));
  }

  private settle(typed: Typed, data: string): void {
    const { provider, text } = typed;
    if (matchesKey(data, "enter")) typed.isLine = false;
    else if (typed.isLine || (data !== "y" && data !== "n")) {
      // A line that was typed ahead has an "n" or a "y" somewhere.
      typed.isLine = true;
      this.said = "That was a line, not an answer: press enter, then y or n.";
    }
    if (typed.isLine || (data !== "y" && data !== "n")) return;
    try {
      if (data === "y") keepKey(provider.keyVariable, text);
    } catch (error) {
      this.said = messageOf(error);
      return;
    }
    const model = this.modelOf(provider.name) ?? `${provider.name}/${provider.defaultModel}`;
    this.take({ [provider.keyVariable]: text }, model);
  }

  private change(typed: Typed, text: string): void {
    typed.text = text.slice(0, KEY_MAX);
    typed.isRefused = false;
  }

  /** The provider lists its models to those whose key it knows. */
  private async check(typed: Typed): Promise<void> {
    const { provider, text, isRefused } = typed;
    if (text === "") return;
    const env = { [provider.keyVariable]: text };
    typed.isUsed = isRefused;
    if (isRefused) return;
    this.isAsking = true;
    this.said = `asking ${provider.name} …`;
    const { modelsOf } = await import("../../../adapters/models/index.ts");
    const found = await modelsOf(provider.name, { env: { ...this.place.env, ...env }, baseUrl: "" });
    this.isAsking = false;
    this.said = "";
    if (found === null) typed.isRefused = true;
    else typed.isUsed = true;
    this.place.changed();
  }
}
