/** Only what a dead process of the same team left is ended. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, expect, it } from "vitest";
import { OWN_IDENTITY, PLACE } from "../process-identity.ts";
import { endOrphans } from "./orphans.ts";

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

/** The largest process id of Linux is smaller. */
const DEAD = `${PLACE}.99999999.1`;
const ELSEWHERE = "0123456789ab.99999999.1";

async function tagged(tag: string): Promise<ChildProcess> {
  const env = { PATH: process.env.PATH, EKIDEN_JOB: tag };
  const child = spawn("sh", ["-c", "echo; exec sleep 600"], { env, stdio: ["ignore", "pipe", "ignore"] });
  children.push(child);
  await once(child.stdout as NodeJS.ReadableStream, "data");
  return child;
}

it.runIf(process.platform === "linux")("ends commands of dead hosts of its team, and no others", async () => {
  const mine = await tagged(`${DEAD}.mine-aa.1;`);
  const nested = await tagged(`${OWN_IDENTITY}.mine-aa.1;:${DEAD}.mine-aa.2;`);
  const others = [
    await tagged(`${DEAD}.yours-aa.3;`),
    await tagged(`${ELSEWHERE}.mine-aa.4;`),
    await tagged(`${OWN_IDENTITY}.mine-aa.5;`),
    await tagged(`${DEAD}.mine-aa.6;:${OWN_IDENTITY}.mine-aa.7;`),
  ];
  const ended = Promise.all([mine, nested].map((child) => once(child, "exit")));
  await endOrphans("mine");
  await ended;
  expect(others.map(({ exitCode, signalCode }) => exitCode ?? signalCode)).toEqual([null, null, null, null]);
});
