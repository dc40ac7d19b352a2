/** What a hosted agent program needs of its host. */
import type { Socket } from "node:net";
import type { AgentHost, RunningAgent } from "../../adapters/agents/agent.ts";
import type { Login } from "./login.ts";

export type HostedOptions = {
  readonly spec: string;
  /** For a new session, behind who the member is. */
  readonly howToWork: string;
  /** For a person, where it fails again and again. */
  readonly remedy: string;
  /** A first prompt that it ends without a word and without an act is a fault: nobody else would notice. */
  readonly mustSpeak: boolean;
  /** The names of the board's tools that the program may call. */
  readonly tools: readonly string[];
  /** Serves the board on a connection of the program. */
  readonly serve: (socket: Socket) => void;
  /** The folder of the task that the member has now. */
  readonly place: () => Promise<Place>;
  /** Starts the program in a folder; `board`: the port of the board. @throws EkidenError `tool_failed` | `model_missing` */
  readonly start: (place: Place & { readonly board: number }, host: AgentHost) => Promise<RunningAgent>;
  /** The login that it shares with others. */
  readonly login: Login;
  /** The longest time of a prompt in which it says and does nothing. */
  readonly silenceMs: number;
  /** At the end of each prompt in which it did something: whether it reports what it uses. */
  readonly onUsed?: (reports: { readonly tokens: boolean; readonly money: boolean }) => void;
};

/** `readOnly`: it may look at the folder and not change it. */
export type Place = { readonly cwd: string; readonly readOnly: boolean };
export type Running = Place & { readonly program: RunningAgent; readonly isBack: boolean };
