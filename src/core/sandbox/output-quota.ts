/** The limit of the output that is kept on disk. The rest is counted and dropped, because `yes` writes gigabytes in seconds. */

/** Bytes of one command, in the foreground or in the background. */
export const COMMAND_OUTPUT_MAX = 512 * 1024 ** 2;
/** Bytes of all commands of one process together. */
export const RUN_OUTPUT_MAX = 4 * 1024 ** 3;

/** Bytes that may still be kept, counted down by all commands of a process. */
export class OutputQuota {
  left: number;

  constructor(bytes = RUN_OUTPUT_MAX) {
    this.left = bytes;
  }

  /** The part of `bytes` that may be kept. */
  take(bytes: number): number {
    const granted = Math.min(bytes, this.left);
    this.left -= granted;
    return granted;
  }
}

export const droppedText = (bytes: number, kept: number): string =>
  `The output file ends after ${kept} bytes; ${bytes} more were dropped. One command may keep ${COMMAND_OUTPUT_MAX}, all together ${RUN_OUTPUT_MAX}.`;
