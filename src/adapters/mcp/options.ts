/** What the servers of a project need from the program. */
import type { Sandbox } from "../../ports/index.ts";

export type McpOptions = {
  /** Absolute. */
  readonly cwd: string;
  /** The environment of servers besides their entries: it holds none of our keys. */
  readonly env?: Readonly<Record<string, string>>;
  /** Makes the tag of a server that is a process of ours: see `Shell.newTag`. */
  readonly newTag?: (() => string) | undefined;
  /** Confines servers that are processes of ours. */
  readonly sandbox?: Sandbox | undefined;
  /** A server that cannot be used, reported once for each reason; its tools are missing, the others work. */
  readonly onProblem: (server: string, problem: string) => void;
  /** The longest time that members wait for a server that is starting. */
  readonly readyMs?: number;
  /** A server's list changed: read `tools` again before the next stint. */
  readonly onChanged?: () => void;
};
