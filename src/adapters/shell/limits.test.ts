/** These tests watch real processes that use more than they may. */
import { spawn } from "node:child_process";
import { expect, it, onTestFinished } from "vitest";
import { DEFAULT_COMMAND_LIMITS } from "../../core/command-limits.ts";
import { LimitWatch } from "./limits.ts";

it.runIf(process.platform === "linux")("threads count, where the kernel counts them for nobody", async () => {
  const program =
    "import threading, time\nfor i in range(40): threading.Thread(target=time.sleep, args=(60,)).start()";
  const supervisor = spawn("sh", ["-c", `python3 -c "${program}"; true`], { stdio: "ignore" });
  onTestFinished(() => void supervisor.kill("SIGKILL"));
  const limits = { ...DEFAULT_COMMAND_LIMITS, commandProcesses: 4 };
  const note = await new Promise<string>((onOver) => {
    new LimitWatch().add({ supervisor: supervisor.pid ?? 0, limits, cwd: "/", onOver });
  });
  expect(note).toMatch(/more than 32 threads.*setting commandProcesses\]/);
  await new Promise((resolve) => supervisor.once("exit", resolve));
});
