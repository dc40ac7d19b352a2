/** The person's own editor for what is being typed: the text in a file of its own, and the file's text back. */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { messageOf } from "../../../core/errors.ts";

const TEXT_MAX = 1_000_000;

/** `fault`: why the text is not that of the editor. */
export type Edited = { readonly text: string } | { readonly fault: string };

/** `terminal` gives the terminal away and takes it back. */
export async function editOutside(
  text: string,
  env: NodeJS.ProcessEnv,
  terminal: { leave(): void; enter(): void },
): Promise<Edited> {
  const editor = env.VISUAL || env.EDITOR || "vi";
  const fault = (what: string): Edited => ({
    fault: `${basename(editor.split(" ")[0] ?? editor)} ${what}`,
  });
  let folder: string | null = null;
  try {
    folder = mkdtempSync(join(tmpdir(), "ekiden-"));
    const file = join(folder, "message.md");
    writeFileSync(file, text, { mode: 0o600 });
    terminal.leave();
    const how = await ended(editor, file, env).finally(() => terminal.enter());
    if (how !== "") return fault(how);
    const { size } = statSync(file);
    if (size > TEXT_MAX) return fault(`left a text of ${size} bytes; the limit is ${TEXT_MAX}`);
    return { text: readFileSync(file, "utf8").replace(/\r\n?/g, "\n").replace(/\n+$/, "") };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return fault(code === "ENOENT" ? "left no file" : `could not be used: ${messageOf(error)}`);
  } finally {
    if (folder !== null) rmSync(folder, { recursive: true, force: true });
  }
}

/** "" where it ended well. The setting may have options: "code --wait". */
async function ended(editor: string, file: string, env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn("/bin/sh", ["-c", `exec ${editor} "$1"`, "sh", file], { stdio: "inherit", env });
  return await new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (code === 0) resolve("");
      else if (code === 127) resolve("was not found: set VISUAL or EDITOR");
      else resolve(signal ? `was ended by ${signal}` : `ended with code ${code}`);
    });
  });
}
