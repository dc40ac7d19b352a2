/** The things that a command of a conversation gets, and the form of such commands. */
import type { TeamHost } from "../../../host/team-host.ts";
import type { Invocation } from "../../kit/invocation.ts";

export type Described = { readonly usage: string; readonly about: string };

export type ReplContext = {
  readonly host: TeamHost;
  /** Prints to the screen of the conversation; its store is that of the host. */
  readonly call: Invocation;
  quit(): void;
  /** Sends what a command of the person's own stands for. Missing where nobody types. */
  tell?(text: string): Promise<unknown>;
  /** Commands of the face that runs the conversation. */
  own?(word: string): ((args: readonly string[]) => Promise<void>) | undefined;
  readonly more?: readonly Described[];
};

export type OwnCommands<Context> = Readonly<
  Record<
    string,
    {
      readonly usage: string;
      readonly about: string;
      run(context: Context, args: readonly string[]): Promise<void>;
    }
  >
>;
