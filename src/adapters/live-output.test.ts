/** These tests check what commands print now, from the writer of one process to a reader. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { soon } from "../../test/fixtures/soon.ts";
import { takeAway } from "../../test/fixtures/take-away.ts";
import { Secrets } from "../core/text/secrets.ts";
import { LiveOutputWriter, readLiveOutput } from "./live-output.ts";

const SECRET = "correct-horse-battery-1";
const secrets = new Secrets([{ name: "API_KEY", value: SECRET }]);

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "ekiden-live-"));
  onTestFinished(() => takeAway(made));
  return made;
}

const writerIn = (dir: string): LiveOutputWriter => new LiveOutputWriter(dir, "team", secrets.redact);

describe("live output", () => {
  it("shows the last lines to readers of the same team only, and nothing after the end", async () => {
    const dir = folder();
    const tail = writerIn(dir).begin("alice", "npm test");
    tail.add(Buffer.from("first\nsecond\n"));
    await soon(async () => {
      const [one] = await readLiveOutput(dir, "team");
      expect(one).toMatchObject({ who: "alice", command: "npm test", text: "first\nsecond" });
    });
    expect(await readLiveOutput(dir, "other")).toEqual([]);
    const [file = ""] = readdirSync(join(dir, "live"));
    expect(statSync(join(dir, "live", file)).mode & 0o777).toBe(0o600);
    tail.end();
    expect(readdirSync(join(dir, "live"))).toEqual([]);
  });

  it("writes nothing for a command that ends at once", () => {
    const dir = folder();
    const tail = writerIn(dir).begin("alice", "echo hi");
    tail.add(Buffer.from("hi\n"));
    tail.end();
    expect(existsSync(join(dir, "live"))).toBe(false);
  });

  it("takes secrets and control characters out, also a secret that the limit cuts", async () => {
    const dir = folder();
    const tail = writerIn(dir).begin("alice", `login ${SECRET}`);
    tail.add(Buffer.from(`\u001b[31mred\u001b[0m\u0007 ${SECRET}\n10 %\r20 %\n`));
    const text = async (): Promise<string> => (await readLiveOutput(dir, "team"))[0]?.text ?? "";
    await soon(async () => expect(await text()).toBe("red\\x07 [secret API_KEY]\n20 %"));
    expect((await readLiveOutput(dir, "team"))[0]?.command).toBe("login [secret API_KEY]");
    // The cut goes through the middle of a secret.
    const line = `${SECRET} ${SECRET} ${SECRET}\n`;
    for (let i = 0; i < 3_000; i += 1) tail.add(Buffer.from(line));
    tail.add(Buffer.from("done\n"));
    await soon(async () => expect(await text()).toMatch(/done$/));
    expect(await text()).not.toMatch(/horse|battery/);
    tail.end();
  });

  it("shows an unfinished line once nothing follows", async () => {
    const dir = folder();
    const tail = writerIn(dir).begin("alice", "read");
    tail.add(Buffer.from("Continue? "));
    await soon(async () => expect((await readLiveOutput(dir, "team"))[0]?.text).toBe("Continue?"));
    tail.end();
  });

  it("does not show, and removes, what a killed process left; it ignores files that it did not write", async () => {
    const dir = folder();
    mkdirSync(join(dir, "live"));
    const dead = `${"0".repeat(12)}.1.1`;
    const [place] = (await import("./process-identity.ts")).OWN_IDENTITY.split(".");
    const left = join(dir, "live", "team-old.1.json");
    writeFileSync(
      left,
      JSON.stringify({ process: `${place}.999999999.1`, who: "bob", command: "x", since: 1, text: "" }),
    );
    writeFileSync(join(dir, "live", "team-bad.1.json"), "{");
    writeFileSync(
      join(dir, "live", "team-far.1.json"),
      JSON.stringify({ process: dead, who: "zoe", since: 1 }),
    );
    expect((await readLiveOutput(dir, "team")).map((one) => one.who)).toEqual(["zoe"]);
    const tail = writerIn(dir).begin("alice", "y");
    tail.add(Buffer.from("y\n"));
    await soon(() => expect(existsSync(left)).toBe(false));
    tail.end();
  });

  it("writes through no link of a project", async () => {
    const dir = folder();
    const elsewhere = folder();
    symlinkSync(elsewhere, join(dir, "live"));
    const tail = writerIn(dir).begin("alice", "y");
    tail.add(Buffer.from("y\n"));
    await new Promise((done) => setTimeout(done, 250));
    expect(readdirSync(elsewhere)).toEqual([]);
    tail.end();
  });
});
