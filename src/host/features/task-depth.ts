/** Tasks that members add have a depth. */
import { depthLimit } from "../../runtime/wraps/task-depth.ts";
import type { MakeFeature } from "../setup.ts";

export const taskDepth: MakeFeature = ({ parts: { settings } }) => ({ wrap: depthLimit(settings.taskDepth) });
