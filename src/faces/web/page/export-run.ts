/** Saves the run that is shown as one file. A link could not show the token. */
import { app } from "./app.ts";

export async function exportRun(): Promise<void> {
  const { team } = app.route;
  try {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await app.source.file(`${team}/recording`));
    link.download = `ekiden-${app.teamName}.html`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  } catch (error) {
    app.say(error instanceof Error ? error.message : String(error), true);
  }
}
