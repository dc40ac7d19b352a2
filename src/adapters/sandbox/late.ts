/** A sandbox whose code is loaded when it is first asked for something: until its first command a team needs none of it. */
import type { Sandbox } from "../../ports/shell.ts";
import type { SandboxOptions } from "./options.ts";

export function lateSandbox(options: SandboxOptions): Sandbox {
  let opened: Promise<Sandbox> | undefined;
  const sandbox = (): Promise<Sandbox> => {
    opened ??= import("./index.ts").then(({ createSandbox }) => createSandbox(options));
    return opened;
  };
  return {
    confine: async (program, wanted) => await (await sandbox()).confine(program, wanted),
    confineWhole: async (program, wanted) => await (await sandbox()).confineWhole(program, wanted),
    accept: (workspace, path) => void sandbox().then((one) => one.accept(workspace, path)),
    allowHosts: (hosts) => void sandbox().then((one) => one.allowHosts(hosts)),
    status: async () => await (await sandbox()).status(),
    close: async () => await (await opened)?.close(),
  };
}
