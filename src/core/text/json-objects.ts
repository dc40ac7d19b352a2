/** Finds the JSON objects in the output of a program, which may print other lines and several objects. */

/** `value` is undefined for a text that begins as an object and cannot be read as one. */
export type FoundObject = { readonly text: string; readonly value: unknown };

/** An object begins its line, or follows another one. */
const BEGIN = /(?<=^|[\n}])[^\S\n]*\{/g;
/** Objects without an end that are looked for: each costs a walk to the end of the text. */
const MOST_OPEN = 50;

/** In their order. An object without an end reaches to the next line that begins one. */
export function jsonObjects(text: string): FoundObject[] {
  const found: FoundObject[] = [];
  let open = 0;
  for (let at = nextObject(text, 0); at !== undefined; ) {
    const end = endOfObject(text, at);
    if (end === undefined) open += 1;
    const next = open > MOST_OPEN ? undefined : nextObject(text, end ?? at + 1);
    const object = text.slice(at, end ?? next);
    found.push({ text: object, value: end && parsed(object) });
    at = next;
  }
  return found;
}

function nextObject(text: string, from: number): number | undefined {
  BEGIN.lastIndex = from;
  return BEGIN.exec(text) === null ? undefined : BEGIN.lastIndex - 1;
}

/** The place behind its last brace. A line end inside of a string is not JSON. */
function endOfObject(text: string, from: number): number | undefined {
  let depth = 0;
  let isString = false;
  for (let at = from; at < text.length; at += 1) {
    const char = text[at];
    if (isString) {
      if (char === "\n") return undefined;
      if (char === "\\") at += 1;
      else if (char === '"') isString = false;
    } else if (char === '"') isString = true;
    else if (char === "{") depth += 1;
    else if (char === "}") {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
