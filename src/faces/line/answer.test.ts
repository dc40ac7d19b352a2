import { expect, it } from "vitest";
import type { Terminal } from "../kit/terminal.ts";
import { Answer } from "./answer.ts";
import { Output } from "./output.ts";

function stage(width: number): { answer: Answer; shown(): string } {
  let text = "";
  const write = (said: string): void => {
    text += said;
  };
  const out: Terminal = {
    isTTY: true,
    colour: false,
    width: () => width,
    write,
    paint: (_tone, said) => said,
  };
  return { answer: new Answer(new Output(out)), shown: () => text };
}

it("shows a line when it is whole, broken between words, and the rest at the end", () => {
  const { answer, shown } = stage(10);
  for (const piece of ["Hel", "lo there, ", "you\n", "\nEnd \x1b[2Jof"]) answer.take(piece);
  expect(shown()).toBe("Hello\nthere, you\n\n");
  expect([answer.end(), answer.end()]).toEqual([true, false]);
  expect(shown()).toBe("Hello\nthere, you\n\nEnd of\n");
});

it("leaves a fenced block as it is, because code is copied", () => {
  const { answer, shown } = stage(10);
  answer.take("```ts\nconst a = 1 + 1 + 1;\n```\nmore words here\n");
  expect(shown()).toBe("```ts\nconst a = 1 + 1 + 1;\n```\nmore words\nhere\n");
});

it("breaks nothing in a pipe", () => {
  const { answer, shown } = stage(Number.POSITIVE_INFINITY);
  answer.take("a line that is longer than a terminal\nb");
  answer.end();
  expect(shown()).toBe("a line that is longer than a terminal\nb\n");
});
