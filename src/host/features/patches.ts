/** Patches as the form of edits, for models whose line in the table of models says so. */
import { capabilitiesOf } from "../../core/models.ts";
import { patchTool } from "../../tools/apply-patch.ts";
import type { MakeFeature } from "../setup.ts";

export const patches: MakeFeature = ({ model: { spec }, parts: { settings } }) => {
  const tool = patchTool(capabilitiesOf(spec, settings.models?.[spec]).patch !== "edit");
  return { tools: () => [tool] };
};
