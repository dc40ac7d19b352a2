/** Blocks of a text that can be run: their lines, their command and their time. */
import { expect, it } from "vitest";
import { fencesIn, scriptsIn, timeoutOf } from "./fences.ts";

it("takes the indent of a fence from its lines, as far as they have it", () => {
  const [fence] = fencesIn(["  ```sh", "  a", "    b", " c", "d", "  ```"]);
  expect(fence).toMatchObject({ first: 1, last: 6, info: "sh", lines: ["a", "  b", "c", "d"] });
});

it.each([
  ["sh", null],
  ["sh timeout=2", 2_000],
  ["sh timeout=1ms", 1],
  ["sh timeout=1.5m", 90_000],
  ["sh timeout=1h", 3_600_000],
  ["sh timeout=0", undefined],
  ["sh timeout=", undefined],
  ["sh timeout=soon", undefined],
  ["sh timeout=1d", undefined],
])("reads the time of %j as %j", (info, ms) => {
  const [fence] = fencesIn([`\`\`\`${info}`, "```"]);
  expect(fence && timeoutOf(fence)).toBe(ms);
});

it("gives a script to its interpreter, whatever lines it has", () => {
  const command = (source: string) => scriptsIn(`\`\`\`python\n${source}\n\`\`\``)[0]?.text;
  expect(command("x")).toBe("python3 - <<'END_OF_BLOCK'\nx\nEND_OF_BLOCK");
  expect(command("END_OF_BLOCK\nEND_OF_BLOCK_")).toBe(
    "python3 - <<'END_OF_BLOCK__'\nEND_OF_BLOCK\nEND_OF_BLOCK_\nEND_OF_BLOCK__",
  );
});
