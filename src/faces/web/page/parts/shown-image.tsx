/** An image of a conversation. It comes with the token, so not by its address; a recording has none. */
import { useEffect, useState } from "preact/hooks";
import type { Image } from "../../../../core/conversation/image.ts";
import { app } from "../app.ts";

export function ShownImage({ image: { name, sha256, mediaType, bytes } }: { image: Image }) {
  const [source, setSource] = useState("");
  const [isGone, setGone] = useState(app.source.recording !== null);
  const { team } = app.route;
  useEffect(() => {
    let isOver = false;
    const query = new URLSearchParams({ type: mediaType, bytes: String(bytes) });
    const read = async (): Promise<void> => {
      const blob = await app.source.file(`${team}/image/${sha256}?${query}`);
      const reader = new FileReader();
      reader.onload = () => !isOver && setSource(String(reader.result));
      reader.readAsDataURL(blob);
    };
    if (!isGone) read().catch(() => !isOver && setGone(true));
    return () => {
      isOver = true;
    };
  }, [team, sha256]);
  if (isGone) return <p class="dim">The image {name} is not here.</p>;
  return source === "" ? null : <img class="shown-image" src={source} alt={name} />;
}
