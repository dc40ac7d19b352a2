/** The shell of one call as the permission policy wants it: with a read-only workspace, with more hosts or paths, or outside the sandbox. */
import { hostWanted } from "../core/sandbox/denial.ts";
import type { Shell } from "../ports/index.ts";

export type SandboxWish = {
  /** `reads`: the line was judged to change nothing; without a network a mistake of the judge costs nothing. `plan`: the mode. */
  readonly readOnly: "reads" | "plan" | null;
  /** Paths outside of the workspace that are open to this command. */
  readonly writable: readonly string[];
  readonly readable: readonly string[];
  /** A person let this one command out of the sandbox. */
  readonly unconfined: boolean;
  /** Whether the command may reach a host that the sandbox refused. It runs again then. */
  readonly mayReach: (host: string) => Promise<boolean>;
  /** Told what stopped the command; returns the note that the model gets. */
  readonly stopped: (command: string, denial: string) => string;
};

/** A command is not run again for more hosts than this. */
const HOSTS_MAX = 8;

export const sandboxedShell =
  ({ readOnly, writable, readable, unconfined, mayReach, stopped }: SandboxWish) =>
  (shell: Shell): Shell => ({
    run: async (command, options) => {
      if (unconfined) return await shell.run(command, { ...options, unconfined: true });
      const confine = {
        ...options.confine,
        ...(readOnly !== null && { readOnly: true }),
        ...(readOnly === "reads" && { network: "off" as const }),
        ...(writable.length > 0 && { writable }),
        ...(readable.length > 0 && { readable }),
      };
      const hosts: string[] = [];
      for (;;) {
        const result = await shell.run(command, {
          ...options,
          confine: { ...confine, ...(hosts.length > 0 && { hosts }) },
        });
        if (result.denial === null) return result;
        const host = readOnly === null ? hostWanted(result.denial) : null;
        // A background command has ended long after its call; its output is in a file that exists.
        if (options.outputFile !== undefined) return result;
        const isNew = host !== null && !hosts.includes(host) && hosts.length < HOSTS_MAX;
        if (!isNew || !(await mayReach(host))) return { ...result, denial: stopped(command, result.denial) };
        hosts.push(host);
      }
    },
    exec: (...given) => shell.exec(...given),
    close: () => shell.close(),
  });
