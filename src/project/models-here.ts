/** Lists the models that can be completed, without asking a provider: those in use, those of the settings, and the default of each provider. */
import type { Settings } from "../core/settings/settings.ts";

/** "provider/name", each once, the likely ones first. */
export async function modelsHere(settings: Settings, inUse: Iterable<string> = []): Promise<string[]> {
  const { PROVIDERS } = await import("../adapters/models/index.ts");
  const { model, lead, fallbackModel, models } = settings;
  const defaults = PROVIDERS.map(({ name, defaultModel }) => defaultModel && `${name}/${defaultModel}`);
  const all = [...inUse, model, lead, fallbackModel, ...Object.keys(models), ...defaults];
  return [...new Set(all.flatMap((one) => one || []))];
}
