/** The options of a worker, and its end. */
import type { EkidenError } from "../../core/errors.ts";
import type { Name } from "../../core/ids.ts";
import type { Settings } from "../../core/settings/settings.ts";
import type { Model } from "../../ports/index.ts";
import type { ProjectTrust } from "../../project/trust/weigh.ts";

export type WorkerOptions = {
  readonly settings: Settings;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly count: number;
  /** Names of its members; null: free ones. */
  readonly names: readonly Name[] | null;
  /** Opening is refused with `name_taken` while another process runs one of the names. Otherwise the worker waits for it. */
  readonly namesMustBeFree?: boolean;
  /** Role of its own members. With names or a role, it takes no members that the lead adds. */
  readonly role: string;
  readonly tell: (text: string) => void;
  /** True: use all items of the project. Otherwise the trust that the command line has read, or the items that the person agreed to. */
  readonly trust?: boolean | ProjectTrust;
  /** Opens models instead of the providers. */
  readonly openModel?: (spec: string) => Promise<Model>;
};

/** `drained`: nothing was left. `cut`: the deadline came first. `over`: no member is left here. `budget`: used up. */
export type WorkerEnd = {
  readonly reason: "drained" | "cut" | "over" | "budget";
  readonly error?: EkidenError;
  /** The limit, with `budget`. */
  readonly why?: string;
};
