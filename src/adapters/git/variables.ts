/** The environment of own git. */
import { VALUE_VARIABLES } from "./hardening.ts";

/** Variables that a surrounding git (a hook or a rebase that started us) sets for another repository. */
export const FOREIGN: readonly string[] = [
  "GIT_DIR",
  "GIT_WORK_TREE",
  "GIT_INDEX_FILE",
  "GIT_COMMON_DIR",
  "GIT_OBJECT_DIRECTORY",
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_NAMESPACE",
  "GIT_PREFIX",
];
const ALWAYS: Readonly<Record<string, string>> = {
  LC_ALL: "C",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_EDITOR: "true",
  GIT_SEQUENCE_EDITOR: "true",
  // An empty one also replaces what the configuration names.
  GIT_PROXY_COMMAND: "",
  // A member may have replaced one.
  GIT_NO_REPLACE_OBJECTS: "1",
  ...VALUE_VARIABLES,
};

/** That of the person, for any repository. */
export const ownVariables = (env: Readonly<Record<string, string>>): Record<string, string> => ({
  ...Object.fromEntries(Object.entries(env).filter(([name]) => !FOREIGN.includes(name))),
  ...ALWAYS,
});
