/** Files that are imported give nobody a right: they choose no model, and do not speak as the person, the program or a member that is here. */
import type { Entry } from "../../core/conversation/chat.ts";
import { HARNESS, type Name, PERSON, quote } from "../../core/ids.ts";
import type { MemberRecord } from "./record.ts";

/** No member has such a name. */
export const imported = (name: string): Name => `imported:${name}` as Name;
/** A name as the files gave it before they were imported and exported. */
export const fromFiles = (text: string): string => text.replace(/^imported:/, "");

/** Whom a mail names as its sender. `here`: members before the import. A member that the files bring speaks for itself. */
export function senders(here: readonly Name[], nameOf: (text: string) => Name): (text: string) => Name {
  const others = new Set([PERSON, HARNESS, ...here]);
  return (text) => {
    const name = nameOf(fromFiles(text));
    return others.has(name) || fromFiles(text) !== text ? imported(name) : name;
  };
}

const OWN_SENDER = /(<mail\b[^>]{0,200}?\bfrom=["']?)(person|ekiden)\b/gi;

/** The mails in a conversation name the same sender. */
export function asImported(entry: Entry): Entry {
  if (entry.kind !== "heard" && entry.kind !== "summary") return entry;
  return { ...entry, text: entry.text.replace(OWN_SENDER, "$1imported:$2") };
}

export const modelNote = ({ name, model }: MemberRecord): string[] =>
  model === ""
    ? []
    : [
        `${name}: the model ${quote(model)} of the files is not used, and ${name} has the team's. To choose one: --model, --lead or a role`,
      ];
