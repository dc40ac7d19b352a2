/** `ekiden acp`: the lead as an agent of an editor, over the Agent Client Protocol on stdio. Each session of the editor is a team. */

import type { Run } from "../commands/entry.ts";
import { type CommonOptions, type Invocation, prepare } from "../kit/invocation.ts";
import { ignoreUnhandled, onSignals } from "../kit/run-guards.ts";

export const run: Run<CommonOptions> = async (call, _args, options) => {
  if (process.stdin.isTTY)
    call.say(
      "Waiting for messages from an editor on stdin (Ctrl-C ends it). Editors start this command themselves.",
    );
  const over = new AbortController();
  const release = onSignals((nth) => (nth > 1 ? process.exit(130) : over.abort()));
  const unheard = ignoreUnhandled(call);
  try {
    const { serveAcp } = await import("../acp/serve.ts");
    const callFor = (cwd: string, team: string): Invocation =>
      prepare({ ...options, cwd, team }, "all", call.env);
    await serveAcp({ callFor, signal: over.signal });
  } finally {
    unheard();
    release();
  }
};
