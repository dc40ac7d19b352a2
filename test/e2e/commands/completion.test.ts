/** The offers of the Tab key in the real shells that are on this machine: options, their values, and what the project knows. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { project } from "../../fixtures/project.ts";
import { InTerminal } from "../../fixtures/pty.ts";
import { soon } from "../../fixtures/soon.ts";
import { EKIDEN } from "../cli-program.ts";

/** How each is started without the files of a person, and made to know the program. */
const SHELLS = {
  bash: { args: ["--norc", "--noprofile", "-i"], load: "source <(ekiden completion bash)" },
  zsh: {
    args: ["-f", "-i"],
    load: "autoload -U compinit; compinit -D -u; source <(ekiden completion zsh)",
  },
  fish: { args: ["--no-config", "-i"], load: "ekiden completion fish | source" },
};

const isHere = (shell: string): boolean => {
  try {
    execFileSync(shell, ["-c", "true"]);
    return true;
  } catch {
    return false;
  }
};

const LINES: readonly (readonly [typed: string, whole: string])[] = [
  ["ekiden transc", "ekiden transcript"],
  ["ekiden run --permission-mode acc", "ekiden run --permission-mode accept-edits"],
  ["ekiden --team back", "ekiden --team backend"],
  // Not of the folder's own team, which has another task.
  ["ekiden --team backend tasks ", "ekiden --team backend tasks 1"],
  ["ekiden add Look --role rev", "ekiden add Look --role reviewer"],
  ["ekiden run --model anthropic/claude-s", "ekiden run --model anthropic/claude-sonnet-5-5"],
  ["ekiden run --model=anthropic/claude-s", "ekiden run --model=anthropic/claude-sonnet-5-5"],
  ["ekiden --team=back", "ekiden --team=backend"],
  ["ekiden send al", "ekiden send all"],
];

it.for(Object.keys(SHELLS) as (keyof typeof SHELLS)[])(
  "completes commands, options and values in %s",
  async (shell, { skip }) => {
    if (!isHere(shell)) {
      console.warn(`The completion of ${shell} is not tested: ${shell} is not on this machine.`);
      return skip(`${shell} is not on this machine`);
    }
    const place = project();
    place.write({ ".ekiden/agents/reviewer.md": "---\nname: reviewer\ndescription: reads\n---\nRead.\n" });
    for (const words of [["One"], ["Two"], ["Build", "--team", "backend"]])
      await place.run(["add", ...words]);
    const bin = join(place.home, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "ekiden"), `#!/bin/sh\nexec ${EKIDEN} "$@"\n`, { mode: 0o755 });
    const { args, load } = SHELLS[shell];
    const terminal = new InTerminal(shell, args, {
      ...{ columns: 150, rows: 40, cwd: place.dir },
      env: {
        ...{
          PATH: `${bin}:${process.env.PATH}`,
          HOME: place.home,
          XDG_CONFIG_HOME: join(place.home, ".config"),
        },
        ...{ PS1: "$ ", TERM: "xterm-256color", LANG: "C.UTF-8" },
      },
    });
    onTestFinished(() => terminal.kill());
    terminal.type(`${load}; echo load""ed\r`);
    await terminal.shows("loaded");
    for (const [i, [typed, whole]] of LINES.entries()) {
      terminal.type(`${typed}\t`);
      await soon(() => expect(terminal.screen()).toContain(whole));
      // The shell reads again. Ctrl-C would take away what is typed behind it.
      terminal.type(`\x15echo ne""xt${i}\r`);
      await terminal.shows(`next${i}`);
    }
  },
);
