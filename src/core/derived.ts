/** Objects that behave as another one but for a few members. */

/**
 * `base` with other members. All that `base` has is read from it when it is asked for, so nothing is lost that it gets later or that a
 * copy would not name. Unlike a copy, it has no members of its own but `other`.
 */
export const derived = <T extends object>(base: T, other: Partial<T>): T =>
  Object.create(base, Object.getOwnPropertyDescriptors(other)) as T;
