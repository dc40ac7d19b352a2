/** The shell of one call as the permission policy wants it: with a read-only workspace, or once more outside the sandbox. */
import type { Shell } from "../../ports/index.ts";

export type SandboxWish = {
  /** `reads`: the line was judged to change nothing; without a network a mistake of the judge costs nothing. `plan`: the mode. */
  readonly readOnly: "reads" | "plan" | null;
  /** Asks the person whether a command that failed because of the sandbox may run once outside of it. */
  readonly outside: (command: string, denial: string) => Promise<boolean>;
};

export const sandboxedShell =
  ({ readOnly, outside }: SandboxWish) =>
  (shell: Shell): Shell => ({
    run: async (command, options) => {
      const confine = {
        ...options.confine,
        ...(readOnly !== null && { readOnly: true }),
        ...(readOnly === "reads" && { network: "off" as const }),
      };
      const result = await shell.run(command, { ...options, confine });
      if (result.denial === null || !(await outside(command, result.denial))) return result;
      return await shell.run(command, { ...options, unconfined: true });
    },
    exec: (...given) => shell.exec(...given),
    close: () => shell.close(),
  });
