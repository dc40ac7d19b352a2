/** Copies a text. Browsers let pages do it on this machine and over https only; elsewhere there is no button. */
import { useState } from "preact/hooks";
import { Button } from "./fields.tsx";

const SAID_MS = 1_500;

export function CopyButton({ text, of }: { text: string; of: string }) {
  const [word, setWord] = useState("Copy");
  const clipboard = globalThis.navigator?.clipboard;
  if (!clipboard) return null;
  const say = (said: string): void => {
    setWord(said);
    setTimeout(() => setWord("Copy"), SAID_MS);
  };
  return (
    <Button
      class="copy"
      onClick={() =>
        void clipboard.writeText(text).then(
          () => say("Copied"),
          () => say("Not copied"),
        )
      }
    >
      {word}
      <span class="unseen"> {of}</span>
    </Button>
  );
}
