/** Sizes in characters, from which the context estimates tokens. */
import type { Opening } from "../../core/conversation/chat.ts";

export const lengthOf = (texts: readonly string[]): number =>
  texts.reduce((total, text) => total + text.length, 0);

/** The size of the opening, with which every request of a conversation begins. */
export const sizeOfOpening = ({ system, tools, shared, own }: Opening): number =>
  lengthOf([system, shared, own]) + sizeOf(tools);

const sizes = new WeakMap<object, number>();

/** The length of a value as JSON; calculated once for each object. */
export function sizeOf(value: object): number {
  let size = sizes.get(value);
  if (size === undefined) {
    size = JSON.stringify(value).length;
    sizes.set(value, size);
  }
  return size;
}
