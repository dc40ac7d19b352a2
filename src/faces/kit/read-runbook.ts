/** Reads a runbook that a command names. */
import { resolve } from "node:path";
import { readRegular, whyNotRead } from "../../adapters/small-files.ts";
import { notFound } from "../../core/errors.ts";
import { quote } from "../../core/ids.ts";
import { isWithin } from "../../core/paths/paths.ts";
import { parseRunbook, type Runbook } from "../../core/project/runbook.ts";
import { secretsOf } from "../../project/secrets.ts";
import type { Invocation } from "./invocation.ts";

const RUNBOOK_MAX = 4 * 1024 * 1024;

/** @throws EkidenError `not_found` */
export async function readRunbook(call: Invocation, file: string): Promise<Runbook> {
  let text: string;
  try {
    const path = resolve(call.cwd, file);
    text = readRegular(path, RUNBOOK_MAX, isWithin(call.cwd, path) ? { within: call.cwd } : {});
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "does not exist" : `cannot be used: ${whyNotRead(error)}`;
    throw notFound(`the runbook ${quote(file)} ${why}. Give a Markdown file, relative to ${call.cwd}.`);
  }
  // As it will be on the board, where a second run looks for it.
  return parseRunbook(secretsOf(call.env, await call.settings()).redact(text), file);
}
