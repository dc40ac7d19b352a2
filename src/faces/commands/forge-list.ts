/** The pull requests of a team, in a shell and in the conversation. */
import { forgeRow, forgeViews } from "../../core/forge/views.ts";
import type { Store } from "../../ports/index.ts";
import type { Invocation } from "../kit/invocation.ts";

export const listForge = async (call: Invocation, store: Pick<Store, "forge"> | null): Promise<void> =>
  await call.show(((await store?.forge.all()) ?? []).map(forgeRow), forgeViews);
