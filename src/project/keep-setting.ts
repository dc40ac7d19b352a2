/** Keeps one setting in the person's own file for all projects, with the comments and the layout of the file. */
import { existsSync } from "node:fs";
import { PROJECT_FILE_MAX, readRegular, replaceOwnFile } from "../adapters/small-files.ts";
import { badInput } from "../core/errors.ts";
import type { SettingKey } from "../core/settings/settings.ts";
import { userFile } from "./own-folders.ts";

/** @throws EkidenError `bad_input` for a file that is not a JSON object or cannot be written */
export async function keepSetting(key: SettingKey, value: string): Promise<void> {
  const { applyEdits, modify, parse } = await import("jsonc-parser");
  const path = userFile();
  const found = existsSync(path) ? readRegular(path, PROJECT_FILE_MAX) : "";
  const errors: import("jsonc-parser").ParseError[] = [];
  const known: unknown = found.trim() === "" ? {} : parse(found, errors, { allowTrailingComma: true });
  const isObject = typeof known === "object" && known !== null && !Array.isArray(known);
  if (errors.length > 0 || !isObject)
    throw badInput(
      `${path} is not a JSON object, so the setting was not saved. ekiden doctor shows where it is wrong.`,
    );
  const formattingOptions = { tabSize: 2, insertSpaces: true };
  const edits = modify(found.trim() === "" ? "{}" : found, [key], value, { formattingOptions });
  try {
    replaceOwnFile(path, applyEdits(found.trim() === "" ? "{}\n" : found, edits));
  } catch (error) {
    throw badInput(`${path} cannot be written.`, { cause: error });
  }
}
