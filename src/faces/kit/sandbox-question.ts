/** Asks the person, once at the start, whether commands may run without a sandbox where there is one that does not hold. */
import type { Settings } from "../../core/settings/settings.ts";
import type { Sandbox } from "../../ports/index.ts";
import { askLine } from "./ask-line.ts";
import type { Terminal } from "./terminal.ts";

/** The sandbox as a run would have it. The caller closes it. */
export async function sandboxOf(cwd: string, settings: Settings): Promise<Sandbox> {
  const [{ createSandbox }, { networkOf }, { sandboxFolders }] = await Promise.all([
    import("../../adapters/sandbox/index.ts"),
    import("../../core/sandbox/sandbox.ts"),
    import("../../project/own-folders.ts"),
  ]);
  const network = networkOf(settings.allow, settings.deny);
  return createSandbox({ mode: settings.sandbox, network, workspace: cwd, ...sandboxFolders(cwd) });
}

/** The settings for this run: with a yes the sandbox is off in them. With a no every command is refused, with the reason. */
export async function settleSandbox(
  cwd: string,
  settings: Settings,
  err: Terminal,
  screen: { leave(): Promise<void>; enter(): void } | undefined,
): Promise<Settings> {
  const open = await sandboxOf(cwd, settings);
  const { text, isFaulty } = await open.status().finally(() => open.close());
  if (!isFaulty) return settings;
  await screen?.leave();
  err.write(`${err.paint("warn", text)}\n`);
  const question = "Run commands without a sandbox, this time? y/[n]: ";
  const yes = await askLine(err, question, (line) => /^y(es)?$/i.test(line)).finally(() => screen?.enter());
  return yes ? { ...settings, sandbox: "off" } : settings;
}
