/** What takes long to make and may not be needed: schemas above all, which are most of a module's start. */

/** Made when it is first asked for, and then kept. */
export function lazy<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
