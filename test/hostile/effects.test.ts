/**
 * The proof by effect. A line that the judge allows without a question is run, as an unprivileged user where the test runs as root;
 * it may not change the workspace, write or read outside of it, or open a connection. The hostile lines are run once, too: most of
 * them must show an effect, or their silence would prove nothing.
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import { bubblewrapOrSkip } from "../fixtures/bubblewrap.ts";
import { TURN } from "../fixtures/fuzz.ts";
import { sections } from "./corpus.ts";
import { type Proving, prove } from "./proving.ts";

/** Every how many hostile lines one is run: all of them take minutes. EKIDEN_EVERY=1 runs all. */
const EVERY = Number(process.env.EKIDEN_EVERY ?? (process.env.EKIDEN_WHOLE ? 1 : 5));
/** Others the next day. */
const part = (lines: readonly string[], step: number): string[] =>
  lines.filter((_, i) => (i + TURN) % step === 0);

/** Thousands of lines are run. */
const MINUTES = 600_000;

let proving: Proving;
beforeAll(async () => {
  proving = await prove();
});
afterAll(() => proving.end());

const of = (silent: boolean) =>
  sections()
    .filter(({ heading }) => (heading === "silent") === silent)
    .flatMap(({ name, lines }) => (name === "catastrophes" ? [] : lines));

bubblewrapOrSkip(it)(
  "a line that is allowed without a question has no effect outside of it",
  async () => {
    const lines = { plain: [] as string[], sandbox: [] as string[] };
    for (const line of [...of(true), ...of(false)]) {
      const where = await proving.silentIn(line);
      if (where !== null) lines[where].push(line);
    }
    // Nearly every line runs in the sandbox. Its limits are tested in sandbox-escapes; here are some lines of all classes.
    const some = part(lines.sandbox, EVERY * 4);
    expect([
      ...(await proving.effectsOf(part(lines.plain, Math.min(EVERY, 3)), "plain")),
      ...(await proving.effectsOf(some, "sandbox")),
    ]).toEqual([]);
    expect(lines.plain.length).toBeGreaterThan(700);
    expect(some.length).toBeGreaterThan(50);
  },
  MINUTES,
);

bubblewrapOrSkip(it)(
  "a closed file is shown by no line in the sandbox, whatever program the line names",
  async () => {
    const lines = sections()
      .filter(({ heading }) => heading.includes("deny read_file"))
      .flatMap(({ lines }) => lines);
    const shown = await proving.effectsOf(lines, "sandbox");
    expect(shown.filter((effect) => effect.endsWith("read the closed file"))).toEqual([]);
    expect(lines.length).toBeGreaterThan(90);
  },
);

it("hostile lines do what they are asked about for", async () => {
  const classes = ["fed", "reading", "repositories", "redirects", "outside"];
  const shares: Record<string, number> = {};
  for (const name of classes) {
    const all = sections().find((section) => section.name === name)?.lines ?? [];
    const lines = all.filter((_, i) => i % EVERY === 0);
    let seen = 0;
    for (const line of lines) if ((await proving.effectOf(line)) !== null) seen += 1;
    shares[name] = Number((seen / lines.length).toFixed(2));
  }
  if (process.env.EKIDEN_SHOW) console.log(shares);
  for (const name of classes) expect(shares[name], name).toBeGreaterThan(0.4);
});
