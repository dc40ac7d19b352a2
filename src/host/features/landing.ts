/** With worktrees, a task is completed only when its branch has landed. */
import { landing as landed } from "../../runtime/wraps/worktrees.ts";
import type { MakeFeature } from "../setup.ts";

export const landing: MakeFeature = ({ parts: { trees } }) => (trees ? { wrap: landed(trees) } : null);
