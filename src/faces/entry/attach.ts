/** `ekiden attach`: the conversation of a team that is there, by its name or by its folder, from any folder. */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { badInput, notFound } from "../../core/errors.ts";
import { quote } from "../../core/ids.ts";
import { knownTeams } from "../../project/known-teams.ts";
import { withTeam } from "../../project/open.ts";
import type { Run } from "../commands/entry.ts";
import { type CommonOptions, type Invocation, prepare } from "../kit/invocation.ts";

export const run: Run<CommonOptions> = async (call, [where], options) => {
  const { cwd, team } = where === undefined ? { cwd: call.cwd } : placeOf(call, where);
  const there = prepare({ ...options, cwd, ...(team !== undefined && { team }) }, "all", call.env);
  await withTeam(there, "use", async () => {}); // says so where there is none
  const words = process.argv.slice(2);
  words.splice(words.indexOf("attach"), 1);
  if (where !== undefined) words.splice(words.lastIndexOf(where), 1);
  return await (await import("./talk.ts")).run({ ...there, words });
};

/** @throws EkidenError `not_found` | `bad_input` where several projects have a team of that name */
function placeOf(call: Invocation, where: string): { readonly cwd: string; readonly team?: string } {
  const path = resolve(call.cwd, where);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return { cwd: path };
  const known = knownTeams().filter(({ team }) => team === where);
  const [only] = known.filter(({ cwd }) => cwd === call.cwd).concat(known.length === 1 ? known : []);
  if (only) return { cwd: only.cwd, team: where };
  if (known.length === 0)
    throw notFound(
      `${quote(where)} is neither a folder nor a team that you have run. ekiden ps --all lists your teams.`,
    );
  throw badInput(
    `several projects have a team ${quote(where)}: ${known.map(({ cwd }) => cwd).join(", ")}. Name the folder, with --team ${where}.`,
  );
}
