/** One agent at work, measured from outside: the built program, and the raw loop that is its floor. */
import { gaps, loopback, shellCalls } from "./loopback.ts";
import { BUILT, floorScript, type Ran, runNode } from "./stage.ts";

export type Worked = Ran & {
  /** Process start to the first request at the server, in milliseconds. */
  readonly firstMs: number;
  readonly gaps: number[];
};

async function watched(
  calls: number,
  args: (url: string) => readonly string[],
  thinkMs = 0,
): Promise<Worked> {
  const server = await loopback(shellCalls(calls), thinkMs);
  try {
    const ran = await runNode(args(server.url), { ...server.env, ...SETTINGS });
    const first = server.seen[0];
    if (!first) throw new Error(`no request came from ${args(server.url).join(" ")}`);
    return { ...ran, firstMs: first.at - ran.startedAt, gaps: gaps(server.seen.slice(0, calls + 1)) };
  } finally {
    await server.close();
  }
}

/** Without the sandbox, which the raw loop has not either: item j measures what it costs. */
const SETTINGS = { EKIDEN_TURNS_PER_STINT: "1000", EKIDEN_SANDBOX: "off" };

const RUN = [
  ...[BUILT, "run", "Do as the model says.", "--model", "anthropic/loopback"],
  ...["--permission-mode", "bypass", "--quiet"],
];

/** `ekiden run` with a model that asks for so many shell calls and ends. */
export const ekidenRun = (calls: number): Promise<Worked> => watched(calls, () => RUN);

/** As the first run of a person: the model takes its time, and meanwhile the compiled program is kept. */
export const firstRun = (): Promise<Worked> => watched(0, () => RUN, 500);

export const rawLoop = (calls: number): Promise<Worked> =>
  watched(calls, (url) => [floorScript("loop.mjs"), url]);

export const bareRequest = (): Promise<Worked> => watched(0, (url) => [floorScript("request.mjs"), url]);
