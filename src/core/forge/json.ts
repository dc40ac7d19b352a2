/** Reads what a forge says: a field that is absent or of another kind is as one that is empty. Pure. */
import type { Author } from "./model.ts";

export type Json = Readonly<Record<string, unknown>>;
export const of = (value: unknown): Json =>
  typeof value === "object" && value !== null ? (value as Json) : {};
export const text = (value: unknown): string => (typeof value === "string" ? value : "");
export const number = (value: unknown): number | null =>
  Number.isSafeInteger(value) ? (value as number) : null;
/** Null for what is no list. */
export const rowsOf = (value: unknown): Json[] | null => (Array.isArray(value) ? value.map(of) : null);
export const rows = (value: unknown): Json[] => rowsOf(value) ?? [];

/** A bot is one by its type, or by a name that only bots have. */
const BOT = /\[bot\]$|^(?:project|group)_\d+_bot/;
export function authorOf(value: unknown): Author {
  const { id, login, username, type, bot } = of(value);
  const name = text(login ?? username);
  if (number(id) === null || name === "") return null;
  return { id: id as number, login: name, isBot: type === "Bot" || bot === true || BOT.test(name) };
}
