/** Copies a text. Browsers let pages do it on this machine and over https only; elsewhere there is no button. */
import { useState } from "preact/hooks";
import { app } from "./app.ts";
import { Button } from "./fields.tsx";

const SAID_MS = 1_500;

export function CopyButton({ text, of }: { text: string; of: string }) {
  const [isDone, setDone] = useState(false);
  if (!navigator.clipboard) return null;
  const copy = (): void =>
    void navigator.clipboard.writeText(text).then(
      () => {
        setDone(true);
        setTimeout(() => setDone(false), SAID_MS);
      },
      () => app.say("The browser does not let the page copy.", true),
    );
  return (
    <Button class="copy" onClick={copy}>
      {isDone ? "Copied" : "Copy"}
      <span class="unseen"> {of}</span>
    </Button>
  );
}
