/** A part of the store whose code is loaded at its first use: most teams never need it. */
import { lazy } from "../../core/lazy.ts";

/** `open`: an object of functions that return promises. */
export function late<T extends object>(open: () => Promise<T>): T {
  const opened = lazy(open);
  const called =
    (name: keyof T) =>
    async (...args: readonly unknown[]): Promise<unknown> => {
      const part = await opened();
      return await (part[name] as (...given: readonly unknown[]) => Promise<unknown>).apply(
        part,
        args as never,
      );
    };
  // An object with `then` would be taken for a promise.
  return new Proxy({} as T, { get: (_, name) => (name === "then" ? undefined : called(name as keyof T)) });
}
