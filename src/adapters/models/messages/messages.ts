/** Asks a server that speaks the Messages protocol, without a package: the package of the vendor would cost a third of a start. */
import { ask, refusal } from "../http.ts";
import { type PartStream, streamOf } from "../stream.ts";
import type { VendorRequest } from "../vendor.ts";
import { heardBy } from "../watchdog.ts";
import { asEvents } from "../whole-answers.ts";
import { partsOf } from "./reply.ts";
import { betasOf, bodyOf, type Told } from "./request.ts";

export type MessagesAddress = Told & {
  readonly url: URL;
  /** The headers that say who asks. */
  readonly headers: Readonly<Record<string, string>>;
};

export async function askMessages(
  address: MessagesAddress,
  request: VendorRequest,
  signal: AbortSignal,
): Promise<{ readonly stream: PartStream }> {
  const betas = betasOf(address, request);
  const answer = await ask(address.url, {
    headers: {
      "content-type": "application/json",
      "anthropic-version": "2023-06-01",
      "user-agent": "ekiden",
      ...(betas && { "anthropic-beta": betas }),
      ...address.headers,
    },
    body: bodyOf(address, request),
    signal,
    onBytes: heardBy(signal),
  });
  if (answer.status !== 200) throw await refusal(answer);
  return { stream: streamOf(answer.text, (text) => partsOf(asEvents(text))) };
}
