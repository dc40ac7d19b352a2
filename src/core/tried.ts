/** A step that may throw, and what counts where it does. */
export function tried<T, U>(step: () => T, otherwise: U): T | U {
  try {
    return step();
  } catch {
    return otherwise;
  }
}

/** Whether a step does not throw. */
export const succeeds = (step: () => unknown): boolean =>
  tried(() => {
    step();
    return true;
  }, false);
