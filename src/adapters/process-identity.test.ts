import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { soon } from "../../test/fixtures/soon.ts";
import { identityOf, livesAs } from "./process-identity.ts";

it.runIf(process.platform === "linux")("a process whose end nobody reads is dead", async () => {
  // `sleep` reads the end of no child.
  const parent = spawn("sh", ["-c", "cat <&3 & echo $!; exec sleep 100"], {
    stdio: ["ignore", "pipe", "inherit", "pipe"],
  });
  try {
    const [line] = (await once(parent.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
    const child = Number(String(line));
    const identity = identityOf(child);
    expect(livesAs(identity)).toBe(true);
    process.kill(child, "SIGKILL");
    const stateOf = (): string => readFileSync(`/proc/${child}/stat`, "latin1").split(") ")[1]?.[0] ?? "";
    await soon(() => expect(stateOf()).toBe("Z"));
    expect(livesAs(identity)).toBe(false);
  } finally {
    parent.kill("SIGKILL");
  }
});
