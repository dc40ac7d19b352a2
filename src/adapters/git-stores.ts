/** The folders that hold the objects of a repository. */
import { resolve } from "node:path";
import { textIn } from "./small-files.ts";

/** Git follows no more. */
const DEPTH_MAX = 5;

/** The folder of objects itself, and all that it borrows from. */
export function storesOf(objects: string, depth = 0): string[] {
  const more = textIn(`${objects}/info/alternates`).split("\n");
  const others = depth > DEPTH_MAX ? [] : more.filter((line) => line !== "" && !/^["#]/.test(line));
  return [...new Set([objects, ...others.flatMap((line) => storesOf(resolve(objects, line), depth + 1))])];
}
