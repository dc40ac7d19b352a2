/** Data that a file of a project holds, before anything walks through it: not too deep, and without names that change objects. */

/** Levels of objects and lists, at most. No file of this program needs a tenth of it; JSON and schemas can read far more. */
export const DEPTH_MAX = 100;

/** JSON, checked. @throws Error with the reason, without the name of the file */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text.replace(/^\uFEFF/, "")); // some editors write it at the start of a file
  checkData(value);
  return value;
}

/** @throws Error with the reason */
export function checkData(value: unknown): void {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    const below: unknown[] = [];
    for (const one of level) {
      if (typeof one !== "object" || one === null) continue;
      if (depth >= DEPTH_MAX) throw new Error(TOO_DEEP);
      if (Object.hasOwn(one, "__proto__"))
        throw new Error('it has the key "__proto__", which is not allowed');
      for (const inner of Object.values(one)) if (typeof inner === "object") below.push(inner);
    }
    level = below;
  }
}

export const TOO_DEEP = `it is nested more than ${DEPTH_MAX} levels deep`;

/** The reason why a parser gave up: one that calls itself for each level has no room left in a file that is too deep. */
export const whyUnread = (error: unknown): string =>
  error instanceof RangeError ? TOO_DEEP : error instanceof Error ? error.message : String(error);
