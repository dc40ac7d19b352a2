/** The exit codes by which a confined process says that it has not become the command, because its mounts are not those of its policy. */
export const MOUNTS_DIFFER =
  "bwrap: a command that is running exchanges files while others start, so the mounts are not those of the policy";
export const MOUNTS_DIFFER_CODE = 126;
