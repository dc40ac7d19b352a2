/** Reads what a forge says: a field that is absent or of another kind is as one that is empty. Pure. */
import type { Author } from "./model.ts";

export type Json = Readonly<Record<string, unknown>>;
export const of = (value: unknown): Json =>
  typeof value === "object" && value !== null ? (value as Json) : {};
export const text = (value: unknown): string => (typeof value === "string" ? value : "");
export const number = (value: unknown): number | null =>
  Number.isSafeInteger(value) ? (value as number) : null;
export const time = (value: unknown): number => Date.parse(text(value)) || 0;
/** Null for what is no list. */
export const rowsOf = (value: unknown): Json[] | null => (Array.isArray(value) ? value.map(of) : null);
export const rows = (value: unknown): Json[] => rowsOf(value) ?? [];

export function authorOf(value: unknown): Author {
  const { id, login, type } = of(value);
  if (number(id) === null || text(login) === "") return null;
  return { id: id as number, login: text(login), isBot: type === "Bot" || text(login).endsWith("[bot]") };
}
