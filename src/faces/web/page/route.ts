/** The address of the page names the view: `/TEAM/VIEW/ITEM?task=N&at=T`. In a recording it follows a `#`. */
import { tried } from "../../../core/tried.ts";

export type Route = {
  readonly team: string;
  /** One of those that there are. */
  readonly view: string;
  /** The member of a conversation, "columns" of the board, or a mailbox of mail. */
  readonly item: string;
  /** The task whose details are open. */
  readonly task: number | null;
  /** The moment of a replay; null: the page shows the live team. */
  readonly at: number | null;
};

/** `first`: the team where the address names none; `views`: those that there are. */
export function parseRoute(address: string, first: string, views: readonly string[]): Route {
  const [path = "", query = ""] = address.split("?");
  const [team = "", view = "", ...item] = path
    .split("/")
    .filter((part) => part !== "")
    .map(decode);
  const given = new URLSearchParams(query);
  const number = (key: string): number | null => {
    const value = Number(given.get(key));
    return Number.isSafeInteger(value) && value > 0 ? value : null;
  };
  return {
    team: team || first,
    view: views.find((one) => one === view) ?? "board",
    item: item.join("/"),
    task: number("task"),
    at: number("at"),
  };
}

const decode = (text: string): string => tried(() => decodeURIComponent(text), text);

export function addressOf({ team, view, item, task, at }: Route): string {
  const path = [team, view, ...(item ? item.split("/") : [])].map(encodeURIComponent).join("/");
  const query = Object.entries({ task, at })
    .filter(([, value]) => value !== null)
    .map(([key, value]) => `${key}=${value}`);
  return `/${path}${query.length === 0 ? "" : `?${query.join("&")}`}`;
}

/** The prefix of every address of this server: "/ekiden" behind a proxy, else "". */
export const BASE =
  globalThis.document?.querySelector<HTMLMetaElement>('meta[name="ekiden-base"]')?.content ?? "";

const inHash = (): boolean => (globalThis.document?.getElementById("recording") ?? null) !== null;

export const currentAddress = (): string =>
  inHash() ? location.hash.replace(/^#/, "") : `${location.pathname.slice(BASE.length)}${location.search}`;

export const hrefOf = (route: Route): string =>
  inHash() ? `#${addressOf(route)}` : `${BASE}${addressOf(route)}`;

export function pushAddress(route: Route, replace: boolean): void {
  if (replace) history.replaceState(null, "", hrefOf(route));
  else history.pushState(null, "", hrefOf(route));
}
