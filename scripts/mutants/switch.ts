/** All faults of a file in one text, each behind a switch: the tests are loaded once and judge many faults. */
import type { Mutant } from "./mutate.ts";
import { SWITCH } from "./protocol.ts";

export type Fault = Mutant & { readonly id: number };

export function withSwitches(source: string, faults: readonly Fault[]): string {
  const outermostFirst = [...faults].sort((a, b) => a.start - b.start || b.end - a.end);
  return render(source, 0, source.length, outermostFirst);
}

/** The text from `start` to `end` with the switches of `faults`, all of which lie inside. */
function render(source: string, start: number, end: number, faults: readonly Fault[]): string {
  let text = "";
  let at = start;
  for (let i = 0; i < faults.length; ) {
    const first = faults[i] as Fault;
    const inside = faults.slice(i).filter((one) => one.start < first.end);
    const same = inside.filter((one) => one.start === first.start && one.end === first.end);
    const inner = inside.filter((one) => !same.includes(one));
    const piece = render(source, first.start, first.end, inner);
    text += source.slice(at, first.start) + same.reduce(switched, piece);
    at = first.end;
    i += inside.length;
  }
  return text + source.slice(at, end);
}

function switched(piece: string, { id, text }: Fault): string {
  const isOn = `${SWITCH}?.(${id})`;
  if (text === ";") return `${isOn} || (${piece.replace(/;$/, "")});`;
  if (text === "{}") return `{ if (${isOn}) return;${piece.slice(1)}`;
  return `(${isOn} ? (${text}) : (${piece}))`;
}
