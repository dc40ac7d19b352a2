/** A step that may throw, and what counts where it does. */
export function tried<T, U>(step: () => T, otherwise: U): T | U {
  try {
    return step();
  } catch {
    return otherwise;
  }
}
