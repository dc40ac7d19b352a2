/** A window over the page, closed with Esc, its button, or a click beside it. */
import type { ComponentChildren } from "preact";
import { app } from "../app.ts";
import { CloseButton } from "./fields.tsx";

export function openDialog(dialog: typeof app.dialog): void {
  app.dialog = dialog;
  app.drawNow();
}

export function Dialog({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the key for it is Esc, which a dialog has by itself.
    <dialog
      class="dialog"
      aria-labelledby="dialog-title"
      ref={(at) => {
        if (at && !at.open) at.showModal();
      }}
      onClose={() => openDialog("none")}
      onClick={(event) => event.target === event.currentTarget && event.currentTarget.close()}
    >
      <div class="dialog-body">
        <header>
          <h2 id="dialog-title">{title}</h2>
          <CloseButton onClose={() => openDialog("none")} />
        </header>
        {children}
      </div>
    </dialog>
  );
}
