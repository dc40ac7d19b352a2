/** Sends mail. A person's mail passes the person's own hooks first, as in the conversation with the lead. */
import { join } from "node:path";
import { checkText, type Mail } from "../../core/board/mail.ts";
import { type Image, imagesNamed } from "../../core/conversation/image.ts";
import { badInput, notFound } from "../../core/errors.ts";
import { address, fullName, type MailId, type Name, PERSON } from "../../core/ids.ts";
import { mayMail, type Settings } from "../../core/settings/settings.ts";
import type { Store } from "../../ports/index.ts";
import { atRest } from "../queries/hosts.ts";
import type { Done } from "./done.ts";

/** `to`: "alice", "lead", "all", or a member of another team ("alice@backend"). */
export type Letter = {
  readonly to: string;
  readonly text: string;
  readonly urgent?: boolean;
  readonly images?: readonly Image[];
};
/** The data that mail needs besides the store; `cwd` is the project's folder. */
export type Sender = { readonly settings: Settings; readonly cwd: string };
type Sent = { readonly id?: MailId; readonly to: readonly string[] };

/** The images that the person's own text names with `@`, kept for the models. @throws EkidenError `bad_input` | `not_found` */
export async function attachedTo(text: string, cwd: string): Promise<Image[]> {
  const paths = imagesNamed(text);
  return paths.length === 0 ? [] : await (await import("./images.ts")).keepImages(paths, cwd);
}

/** Refuses letters as far as that needs no open store. @throws EkidenError `bad_input` */
export function checkLetter({ to, text }: Letter, settings: Settings): void {
  checkText(text);
  const { who, team } = address(to);
  if (team !== null && team !== settings.team && !mayMail(settings, team))
    throw badInput(
      `mail from team "${settings.team}" to team "${team}" is not allowed by the setting mailAcrossTeams. As yourself: ekiden --team ${team} send ${who} TEXT.`,
    );
}

/** @throws EkidenError `bad_input` | `not_found` | `mailbox_full` | `not_permitted` (a hook refused it) */
export async function sendMail(
  store: Store,
  from: Name,
  letter: Letter,
  sender: Sender,
): Promise<Done<Sent>> {
  checkLetter(letter, sender.settings);
  const { to, urgent = false, images = [] } = letter;
  const attached = images.length > 0 && { images };
  const { who, team } = address(to);
  const text = from === PERSON ? await throughHooks(store, letter, sender) : checkText(letter.text);
  if (who === "all" && team === null) {
    const names = await store.mail.broadcast(from, { kind: "broadcast", text, ...attached });
    const sent = names.length > 0 ? `sent to ${names.join(", ")}` : "there is nobody to send it to";
    return { data: { to: names }, text: sent };
  }
  const mail = { to: who, body: { kind: "note", text, ...attached }, urgent } as const;
  const id =
    team === null || team === store.team
      ? await store.mail.send(from, mail)
      : await store.sendAcross(team, fullName(from, store.team), mail);
  const reached = team === null ? who : fullName(who, team);
  const rest = from === PERSON && team === null ? await atRest(store) : "";
  return { data: { id, to: [reached] }, text: `sent to ${reached}${urgent ? ", urgent" : ""}${rest}` };
}

/** Takes a message back that nobody has read. @throws EkidenError `not_found` */
export async function takeBack(store: Store, from: Name, id: MailId): Promise<Done<Mail>> {
  const mail = await store.mail.withdraw(from, id);
  if (mail) return { data: mail, text: `the message to ${mail.to} was taken back: nobody has read it` };
  throw notFound(
    `Message ${id} cannot be taken back: it was read, it was taken back before, or it is not yours. Send another one.`,
  );
}

async function throughHooks(store: Store, { to, text }: Letter, { settings, cwd }: Sender): Promise<string> {
  const { hooks } = settings;
  if (!hooks.UserPromptSubmit?.length) return checkText(text);
  const [{ createShell }, { Hooks }] = await Promise.all([
    import("../../adapters/shell/index.ts"),
    import("../../runtime/hooks/hooks.ts"),
  ]);
  const shell = createShell({ outputDir: join(cwd, ".ekiden", "output") });
  try {
    return await new Hooks({ hooks, shell, store, cwd }).submit(text, to, new AbortController().signal);
  } finally {
    await shell.close();
  }
}
