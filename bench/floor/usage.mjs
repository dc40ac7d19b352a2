// Loaded before a measured program: leaves behind what the process used, when it ends. Peak memory comes from the process's
// own memory map where there is one: what getrusage says includes the parent, from between fork and exec.
import { readFileSync, writeFileSync } from "node:fs";

const file = process.env.USAGE_FILE;
delete process.env.USAGE_FILE;

const peakKb = () => {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1]);
  } catch {
    return process.resourceUsage().maxRSS;
  }
};
if (file)
  process.on("exit", () => {
    const { userCPUTime, systemCPUTime } = process.resourceUsage();
    writeFileSync(file, JSON.stringify({ peakKb: peakKb(), cpuMs: (userCPUTime + systemCPUTime) / 1000 }));
  });
