/** Values that take long to make and may not be needed: above all schemas, which are most of a module's start. */

/** Makes the value at its first use and keeps it. */
export function lazy<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
