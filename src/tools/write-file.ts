/** Creates or overwrites a file. */
import { constants } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { z } from "zod";
import { EkidenError } from "../core/errors.ts";
import { defineTool } from "./define.ts";
import { text } from "./inputs.ts";
import { placeOf } from "./workspace.ts";

export const writeFile = defineTool({
  name: "write_file",
  description: "Create or overwrite a file.",
  input: () => z.object({ path: text, content: text }),
  access: "write",
  subject: ({ path }) => path,
  async run({ path, content }, ctx) {
    const { real, shown } = await placeOf(path, ctx, "write");
    if (real === ctx.workspace)
      throw new EkidenError("bad_input", "The path names the workspace itself. Name a file in it.");
    await mkdir(dirname(real), { recursive: true });
    const created = await write(real, shown, content);
    const lines = content === "" ? 0 : content.split("\n").length - (content.endsWith("\n") ? 1 : 0);
    return `${created ? "Created" : "Overwrote"} ${shown}: ${lines} lines, ${Buffer.byteLength(content)} bytes.`;
  },
});

/** True if the file is new. A link that replaces the file after the check is not followed. */
export async function write(real: string, shown: string, content: string): Promise<boolean> {
  const flags = constants.O_WRONLY | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
  const refuse = (error: NodeJS.ErrnoException): never => {
    if (error.code === "EISDIR")
      throw new EkidenError("bad_input", `${shown} is a folder. Name a file in it.`);
    if (error.code === "EACCES" || error.code === "EROFS")
      throw new EkidenError("tool_failed", `${shown} cannot be written: ${error.code}.`);
    throw error;
  };
  let created = true;
  const file = await open(real, flags | constants.O_EXCL).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") return refuse(error);
    created = false;
    return open(real, flags | constants.O_TRUNC).catch(refuse);
  });
  try {
    await file.writeFile(content);
  } finally {
    await file.close();
  }
  return created;
}
