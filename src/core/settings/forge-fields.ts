/** The settings of a forge. */
import { z } from "zod";
import { duration, oneOf, positive, text } from "./shapes.ts";

const ADDRESS = /^(?:[^\s:]+:|\[[\da-fA-F:]+\]:)?(\d{1,5})$/;
const isAddress = (given: string): boolean => Number(ADDRESS.exec(given)?.[1] ?? Number.NaN) <= 65_535;
/** "origin", or the owner, which may be a group in groups, and the name. */
export const REPOSITORY =
  /^(?:origin|([A-Za-z0-9][\w.-]{0,99}(?:\/[\w-][\w.-]{0,99}){0,19})\/((?!\.+$)[\w.-]{1,100}))$/;

export const FORGE_FIELDS = {
  forge: () =>
    text()
      .regex(REPOSITORY, "OWNER/NAME, or origin for the repository of that git remote")
      .describe(
        "Repository on GitHub, GitLab, Gitea or Forgejo whose issues become tasks, and where tasks land by pull requests (see docs/forge.md). Unset: none.",
      ),
  forgeLabel: () => text().describe("Label of the issues that become tasks."),
  forgeAssignee: () => text().describe("Login whose assigned issues become tasks, too. Unset: none."),
  forgeWebhook: () =>
    text()
      .refine(isAddress, "a port such as 8080, or HOST:PORT")
      .describe(
        "Where webhook deliveries are accepted, so that the team checks at once: a port of this machine, or HOST:PORT. Needs EKIDEN_WEBHOOK_SECRET. Unset: the forge is only polled.",
      ),
  forgeMerge: () =>
    oneOf(["never", "queue", "auto"]).describe(
      "Who merges a pull request whose checks are green: never (a person does), queue (it goes into the merge queue), or auto (it is merged).",
    ),
  forgeRounds: () =>
    positive()
      .max(20, "at most 20")
      .describe(
        "How often red checks of a pull request go back to its owner, and how often a review does, before it waits for a person.",
      ),
  forgeBots: () =>
    z
      .array(text(), 'a list of logins such as ["reviewer[bot]"]')
      .readonly()
      .describe("Bots whose reviews and comments count as those of people with write permission."),
  forgePollMs: () =>
    duration().describe(
      "Time between two looks at open pull requests. Issues are polled a quarter as often; checks count as ended when they stay the same twice as long.",
    ),
};
