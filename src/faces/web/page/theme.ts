/** Light or dark: as the system has it, or as the person chose for this browser. The style goes by an attribute of the root. */
import { tried } from "../../../core/tried.ts";
export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const KEY = "ekiden-theme";
const dark = (): MediaQueryList => matchMedia("(prefers-color-scheme: dark)");

/** A browser may refuse its storage. */
export function chosenTheme(): Theme {
  const kept = tried(() => localStorage.getItem(KEY), null);
  return THEMES.find((one) => one === kept) ?? "system";
}

export function chooseTheme(theme: Theme): void {
  tried(() => localStorage.setItem(KEY, theme), null); // it holds until the page is loaded again
  show(theme);
}

function show(theme: Theme): void {
  const isDark = theme === "dark" || (theme === "system" && dark().matches);
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
}

/** From the start of the page on. */
export function followTheme(): void {
  dark().addEventListener("change", () => show(chosenTheme()));
  addEventListener("storage", ({ key }) => key === KEY && show(chosenTheme()));
  show(chosenTheme());
}
