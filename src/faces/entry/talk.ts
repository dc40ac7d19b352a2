/** `ekiden` without a command: the full screen where the terminal is one, else the conversation line by line. */
import type { Invocation } from "../kit/invocation.ts";
import { wantsScreen } from "../kit/wanted.ts";

export const run = async (call: Invocation): Promise<number | undefined> =>
  wantsScreen(call)
    ? (await import("../screen/talk.ts")).talk(call)
    : (await import("../line/talk.ts")).run(call);
