/** An undo in one sentence. Apart from what else people see of it, because every start reads the sentences of facts. */
import type { Undone } from "../undo/change.ts";
import { counted } from "./view.ts";

/** "undid changes of alice in 2 files: a.ts, b.ts; left: c.ts" */
export const undoneWords = ({ whose, files, paths, kept, again }: Undone): string =>
  `${again ? "put back" : "undid"} changes of ${whose.join(", ")} in ${counted(files, "file")}: ${paths.join(", ")}${
    kept[0] ? `; left: ${kept.join(", ")}` : ""
  }`;
