/** Waits for work that may take too long; its timer never outlives it. */

/** The result of `work`, or `late` when it takes longer than `ms`. */
export async function within<T, L>(ms: number, work: Promise<T>, late: L): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<L>((resolve) => {
    timer = setTimeout(resolve, ms, late);
  });
  return await Promise.race([work, over]).finally(() => clearTimeout(timer));
}
