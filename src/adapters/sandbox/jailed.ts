/**
 * A program that bubblewrap confines: in a process of its own, or in one that was confined in advance. The parts that only the first
 * needs are made on demand.
 */

import { lazy } from "../../core/lazy.ts";
import type { CommandLimits } from "../../core/sandbox/command-limits.ts";
import type { SandboxPolicy } from "../../core/sandbox/sandbox.ts";
import type { ConfinedProgram, Program } from "../../ports/shell.ts";
import { bubblewrapArgs, type Jail, limited, mountsOf, type UnnamedFile } from "./bubblewrap.ts";
import type { Spares, Taken } from "./spares.ts";

export type ToBeJailed = {
  readonly policy: SandboxPolicy;
  readonly jail: Jail;
  /** Puts a program into its control group and network. */
  readonly enter: readonly string[];
  readonly bwrap: string;
  readonly program: Program;
  /** Null for git of our own that writes nothing: it becomes the program at once. */
  readonly limits: CommandLimits | null;
  readonly coversMovable: boolean;
  /** Null: a process of its own. */
  readonly spares: Spares | null;
  readonly filter: UnnamedFile | null;
};

type Jailed = Omit<ConfinedProgram, "ended" | "changed" | "denial">;

export function jailedProgram(given: ToBeJailed): Jailed {
  const { policy, enter, program, limits, coversMovable, spares, filter } = given;
  const jail = [given.bwrap, ...bubblewrapArgs(policy, given.jail)];
  const mounts = (): string[] => mountsOf(policy, given.jail);
  const [file = "", ...before] = [...enter, ...jail];
  const inner = lazy(() => [
    "--",
    ...(limits ? limited(limits, mounts()) : []),
    program.file,
    ...program.args,
  ]);
  const descriptor = lazy(() => (filter ? [filter.open()] : []));
  let opened = false;
  let unused: Taken | null = null;
  return {
    ...{ file, cwd: program.cwd, env: program.env, limits, supervised: true },
    get args() {
      return [...before, ...inner()];
    },
    get descriptors() {
      opened = true;
      return descriptor();
    },
    // bubblewrap names the exit code only of a program that it has started.
    get reporting() {
      return {
        args: [...before, "--json-status-fd", "4", ...inner()],
        ran: (report: string) => report.includes('"exit-code"'),
      };
    },
    async prepared() {
      if (limits === null) return null;
      const taken = (await spares?.take({ enter, jail, mounts, program, limits, coversMovable })) ?? null;
      unused = taken;
      if (taken === null) return null;
      return () => {
        unused = null;
        return taken.start();
      };
    },
    done() {
      unused?.end();
      if (opened) for (const one of descriptor()) filter?.closeOne(one);
    },
  };
}
