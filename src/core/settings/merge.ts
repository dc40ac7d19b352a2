/** The settings of all sources put together. */
import { joinHooks } from "../project/hooks.ts";
import { DEFAULT_SETTINGS, type SettingKey, type Settings, type SettingsLayer } from "./settings.ts";

/** Lists of rules add up over all sources, so that no source can take back another's `deny`. */
const ADDED_UP = ["allow", "ask", "deny"] as const satisfies readonly SettingKey[];

/** Puts the sources together, strongest first, over the defaults. */
export function mergeSettings(layers: readonly SettingsLayer[]): Settings {
  const merged: Record<string, unknown> & { hooks?: unknown } = { ...DEFAULT_SETTINGS };
  for (const layer of [...layers].reverse())
    for (const [key, value] of Object.entries(layer)) if (value !== undefined) merged[key] = value;
  for (const key of ADDED_UP) merged[key] = [...new Set(layers.flatMap((layer) => layer[key] ?? []))];
  merged.hooks = joinHooks([...layers].reverse().flatMap((layer) => layer.hooks ?? []));
  return merged as Settings;
}
