/** Which words about a request want an answer: those of trusted people that nobody has answered yet. Pure. */
import { cleaned, isMarked, quotedLines } from "./clean.ts";
import type { Ask } from "./memory.ts";
import type { Author, Talk, Words } from "./model.ts";

/**
 * By numeric id: a login may belong to another account by now. `own`: the account of this program; null where the forge does not say.
 * `posted`: the ids of what was sent for this task, as in `Ask`.
 */
export type Trust = {
  readonly own: number | null;
  readonly posted: ReadonlySet<string>;
  readonly isTrusted: (who: NonNullable<Author>) => boolean;
};

export type Heard = {
  readonly asks: readonly Ask[];
  readonly strangers: number;
  readonly hasPerson: boolean;
};

/**
 * A text of the team itself: one that was posted, whatever somebody has made of it since, or one of its account with a mark. The account may
 * be the person's own: what it wrote without a mark is the person's word. With another account a mark is a forgery.
 */
export const isOwn = ({ by, text }: Words, id: string, { own, posted }: Trust): boolean =>
  posted.has(id) || (isMarked(text) && by !== null && (own === null || by.id === own));

type Found = Omit<Ask, "label"> & { readonly isBot: boolean };

export function askedOf(talk: Talk, trust: Trust, answered: readonly string[]): Heard {
  const known = new Set(answered);
  const hidden = new Set(talk.reviews.flatMap(({ id, state }) => (state === "PENDING" ? [id] : [])));
  let strangers = 0;
  const wants = (words: Words, id: string): boolean => {
    if (isOwn(words, id, trust) || cleaned(words.text) === "") return false;
    // Who changed a text last has said all of it.
    const editor = talk.editors.get(id) ?? words.by;
    if (words.by === null || ![words.by, editor].every((who) => who !== null && trust.isTrusted(who))) {
      strangers += 1;
      return false;
    }
    return !known.has(id);
  };
  const found = new Map<string, Found>();
  const add = (id: string, words: Words, where: string, root: number | null = null): void => {
    const key = root === null ? id : `l${root}`;
    const before = found.get(key);
    found.set(key, {
      ...{ root, where, by: words.by?.login ?? "", ids: [...(before?.ids ?? []), id] },
      isBot: before?.isBot !== false && words.by?.isBot === true,
      text: `${before ? `${before.text}\n>\n` : ""}${quotedLines(words.text)}`,
    });
  };
  for (const line of talk.lines) {
    const root = line.replyTo ?? line.id;
    if ((line.review !== null && hidden.has(line.review)) || !wants(line, `l${line.id}`)) continue;
    if (talk.resolved.includes(root)) continue;
    const where = line.line === null ? line.path : `${line.path}:${line.line}`;
    add(`l${line.id}`, line, where, root);
  }
  for (const review of talk.reviews)
    if (["COMMENTED", "CHANGES_REQUESTED"].includes(review.state) && wants(review, `r${review.id}`))
      add(`r${review.id}`, review, "the whole change");
  for (const comment of talk.comments)
    if (wants(comment, `c${comment.id}`)) add(`c${comment.id}`, comment, "the request");
  const all = [...found.values()];
  return {
    asks: all.map(({ isBot: _, ...ask }, nth) => ({ label: `R${nth + 1}`, ...ask })),
    strangers,
    hasPerson: all.some(({ isBot }) => !isBot),
  };
}
