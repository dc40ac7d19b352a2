import { afterEach, expect, it } from "vitest";
import { InTerminal } from "../../../../test/fixtures/pty.ts";

let terminal: InTerminal | undefined;
afterEach(() => terminal?.kill());

const PROGRAM = `
  const { Canvas } = await import(${JSON.stringify(new URL("canvas.ts", import.meta.url).href)});
  const canvas = new Canvas(() => ["here"], () => {});
  canvas.enter();
  canvas.leave();
  setTimeout(() => process.exit(0), 400);
`;

/** The modes that are on at the end, by what sets and resets them. */
function modesOf(output: string): string[] {
  const on = new Set<string>();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: sequences begin with one
  for (const [, mark, value, kind] of output.matchAll(/\x1b\[([?>]?)([\d;]*)([hlm])/g)) {
    const [mode = ""] = (value ?? "").split(";");
    const isOn = kind === "h" || (mark === ">" && value === `${mode};2`);
    if (mark === "" || (mark === "?" && kind === "m")) continue;
    if (isOn) on.add(mark + mode);
    else on.delete(mark + mode);
  }
  return [...on];
}

it("leaves no mode of the terminal behind, also when it is left at once", async () => {
  const args = ["--import", import.meta.resolve("tsx"), "--input-type=module", "-e", PROGRAM];
  const env = { PATH: process.env.PATH ?? "" };
  terminal = new InTerminal(process.execPath, args, { columns: 80, rows: 24, cwd: process.cwd(), env });
  expect(await terminal.ended).toBe(0);
  expect(terminal.output).toContain("\x1b[?1049h");
  // Wrapping, arrow keys of the wheel and the cursor are on in every terminal.
  expect(modesOf(terminal.output).sort()).toEqual(["?1007", "?25", "?7"]);
});
