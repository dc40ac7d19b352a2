/** Secrets taken out of data of any shape, and out of words that come in pieces. */
import type { Secrets } from "./secrets.ts";

type Redact = (text: string) => string;

/** Shorter texts hold no secret. */
const SHORTEST = 8;

/**
 * The same value if nothing was taken out. Objects of a class stay, and so do fields that a provider signed (`meta`); a thought that
 * was changed loses its signature. For a function, its results are cleaned.
 */
export function redacted<T>(value: T, redact: Redact): T {
  if (typeof value === "string") return (value.length < SHORTEST ? value : redact(value)) as T;
  if (typeof value === "function")
    return ((...args: unknown[]) =>
      redacted((value as (...args: unknown[]) => unknown)(...args), redact)) as T;
  if (Array.isArray(value)) {
    const list = value.map((one) => redacted(one, redact));
    return list.some((one, i) => one !== value[i]) ? (list as T) : value;
  }
  if (typeof value !== "object" || value === null || !isPlain(value)) return value;
  let changed: Record<string, unknown> | null = null;
  for (const [key, inner] of Object.entries(value)) {
    if (key === "meta") continue;
    const clean = redacted(inner, redact);
    if (clean === inner) continue;
    changed ??= { ...(value as Record<string, unknown>) };
    changed[key] = clean;
  }
  if (changed && "meta" in changed && "text" in changed) delete changed.meta;
  return (changed ?? value) as T;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Words that arrive in pieces: an end that may begin a secret waits for the next piece. */
export class RedactedStream {
  private held = "";
  private readonly secrets: Pick<Secrets, "redact" | "openEnd">;
  private readonly emit: (text: string) => void;

  constructor(secrets: Pick<Secrets, "redact" | "openEnd">, emit: (text: string) => void) {
    this.secrets = secrets;
    this.emit = emit;
  }

  push(text: string): void {
    const whole = this.held + text;
    const open = this.secrets.openEnd(whole);
    this.held = whole.slice(whole.length - open);
    this.send(whole.slice(0, whole.length - open));
  }

  end(): void {
    const rest = this.held;
    this.held = "";
    this.send(rest);
  }

  private send(text: string): void {
    if (text !== "") this.emit(this.secrets.redact(text));
  }
}
