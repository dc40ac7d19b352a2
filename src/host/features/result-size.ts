/** A result that is too long for the window of the model goes to a file that the member can read. */
import { budgeted } from "../../runtime/wraps/result-size.ts";
import type { MakeFeature } from "../setup.ts";

export const resultSize: MakeFeature = ({ parts: { outputDir }, model, spool }) => ({
  wrap: budgeted(model.window, spool),
  readable: () => [outputDir],
});
