/** The worker that all tabs of this server share: it listens for them. */
import { type Heard, type Place, Streams } from "./streams.ts";

/** A tab listens to one team at a time; null: to none. */
export type Asked = { readonly nth: number; readonly place: Place | null };
export type Told = { readonly nth: number; readonly heard: Heard };

const streams = new Streams();

addEventListener("connect", (event) => {
  const [port] = (event as MessageEvent).ports;
  if (!port) return;
  let leave = (): void => {};
  port.addEventListener("message", ({ data: { nth, place } }: MessageEvent<Asked>) => {
    leave();
    leave = place
      ? streams.listen(place, (heard) => port.postMessage({ nth, heard } satisfies Told))
      : (): void => {};
  });
  port.start();
});
