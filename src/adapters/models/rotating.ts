/**
 * Several keys for one provider. One is used until it is told to wait (429) or is refused; then the next one whose gate is open is
 * asked, and stays in use: thoughts go back only to the account that made them. When all must wait, the last one waits as with one key. When
 * all have reached a limit, the one that ends first counts.
 */
import { derived } from "../../core/derived.ts";
import { type EkidenError, isEkidenError } from "../../core/errors.ts";
import type { Model } from "../../ports/model.ts";

export type Keyed = {
  readonly model: Model;
  /** The same without retries. */
  readonly once: Model;
  readonly isFree: () => boolean;
};

/** @param keys at least one */
export function rotating(keys: readonly [Keyed, ...Keyed[]]): Model {
  const [first] = keys;
  if (keys.length === 1) return first.model;
  let at = 0;
  return derived(first.model, {
    async reply(request, options) {
      const limited: EkidenError[] = [];
      for (let tried = 0; tried < keys.length - 1; tried += 1) {
        const current = keys[at] ?? first;
        try {
          if (current.isFree()) return await current.once.reply(request, options);
        } catch (error) {
          if (options.signal.aborted || !isForOneKey(error)) throw error;
          if (error.details.limit !== undefined) limited.push(error);
        }
        at = (at + 1) % keys.length;
      }
      return await (keys[at] ?? first).model.reply(request, options).catch((error: unknown) => {
        if (!isEkidenError(error) || error.details.limit === undefined) throw error;
        throw [...limited, error].reduce((a, b) => (waitOf(b) < waitOf(a) ? b : a));
      });
    },
  });
}

const waitOf = ({ details }: EkidenError): number => details.retryAfterMs ?? Number.POSITIVE_INFINITY;

const isForOneKey = (error: unknown): error is EkidenError =>
  isEkidenError(error, "model_auth") ||
  (isEkidenError(error, "model_refused") && error.details.limit !== undefined) ||
  (isEkidenError(error, "model_overloaded") && error.details.status === 429);
