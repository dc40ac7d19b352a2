/** The ports of a worktree: a block of ten, which begins at a multiple of ten. They are below those that systems give to outgoing connections. */

const SIZE = 10;

/** The first ports of all blocks of a machine. */
export const BLOCKS: readonly number[] = Array.from({ length: 1_000 }, (_, nth) => 20_000 + SIZE * nth);

export const portsOf = (first: number): number[] => Array.from({ length: SIZE }, (_, nth) => first + nth);

/** `EKIDEN_PORT`, and `EKIDEN_PORT_0` to `EKIDEN_PORT_9`. */
export const portVariables = (first: number): Record<string, string> =>
  Object.fromEntries([
    ["EKIDEN_PORT", String(first)],
    ...portsOf(first).map((port, nth) => [`EKIDEN_PORT_${nth}`, String(port)]),
  ]);
