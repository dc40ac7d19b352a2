/** A face whose team is lost in the middle of a call: processes on a real socket that speak the protocol. */
import { mkdtempSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { soon } from "../../../test/fixtures/soon.ts";
import { takeAway } from "../../../test/fixtures/take-away.ts";
import { systemClock } from "../../adapters/clock.ts";
import { openStore } from "../../adapters/store/index.ts";
import { DEFAULT_TEAM } from "../../core/ids.ts";
import { AttachedHost, reach } from "./attached-host.ts";
import { type FromFace, type FromHost, readLines, send } from "./wire.ts";

const LIMITS = { usd: 0, tokens: 0, mostUsd: null, mostTokens: null };
const WELCOME: FromHost = {
  ...{ welcome: { mode: "default", models: [], limits: LIMITS, usedUp: null } },
  ...{ pid: 1, now: [], flags: {}, isRun: false },
};

/** A face, and what it was told, of a host that does this at the nth call. */
async function face(onCall: (nth: number, socket: Socket, id: number) => void) {
  const folder = mkdtempSync(join(tmpdir(), "ekiden-attach-"));
  let calls = 0;
  const server = createServer((socket) => {
    socket.on("error", () => {});
    readLines<FromFace>(socket, (message) => {
      if ("hello" in message) return send(socket, WELCOME);
      calls += 1;
      onCall(calls, socket, message.id);
    });
  });
  const path = join(folder, "s");
  await new Promise<void>((listening) => server.listen(path, listening));
  const store = await openStore({ url: join(folder, "team.db"), team: DEFAULT_TEAM, clock: systemClock });
  const notices: string[] = [];
  const host = await AttachedHost.open({
    store,
    told: { onNotice: (text) => void notices.push(text) },
    reach: async () => {
      const reached = await reach(path);
      if (reached === null || "refused" in reached) throw new Error("nobody is there");
      return reached;
    },
  });
  onTestFinished(async () => {
    await host.close();
    server.close();
    takeAway(folder);
  });
  return { host, notices };
}

it("waits for the start of the team in the process that takes the place of one that ended meanwhile", async () => {
  const { host, notices } = await face((nth, socket, id) => {
    if (nth <= 2) socket.destroy();
    else send(socket, { id, value: null });
  });
  await host.start();
  const cut = "the line to the process of the team is cut; it is reached again";
  expect(notices).toEqual([cut, cut]);
});

it("tells why a team did not start", async () => {
  const { host } = await face((_, socket, id) =>
    send(socket, { id, fault: { code: "model_missing", message: "No model." } }),
  );
  await expect(host.start()).rejects.toThrow("No model.");
});

it("ends where processes of the team end again and again before it has started", async () => {
  const { host } = await face((_, socket) => socket.destroy());
  await host.start();
  expect(await host.done).toMatchObject({
    reason: "model",
    error: { message: expect.stringContaining("again and again") as string },
  });
});

it("tells a face that only looks on of a process that stands still", async () => {
  const { notices } = await face(() => {});
  await soon(() => expect(notices).toEqual([expect.stringMatching(/process 1 of the team does not answer/)]));
});
