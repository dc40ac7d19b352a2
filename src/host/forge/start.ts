/** Opens the forge of a team, and watches it as long as the team is hosted. */
import { findForge, openForgeAt } from "../../adapters/forge/open.ts";
import { messageOf, orElse } from "../../core/errors.ts";
import { repoName } from "../../core/forge/model.ts";
import type { HostId } from "../../core/ids.ts";
import { removeLanded } from "../../runtime/wraps/worktrees.ts";
import { isAtRest } from "../outcome.ts";
import type { Parts } from "../parts.ts";
import type { HostOptions } from "../team-host.ts";
import { originOf } from "./found.ts";
import { ForgeWatch } from "./watch.ts";

/**
 * Returns what runs until the signal aborts. `end`: called when all work waits for the forge, where that is the end.
 * @throws EkidenError `settings_invalid` | `bad_input` | `forge_refused`
 */
export async function openForge(parts: Parts, options: Pick<HostOptions, "env" | "forge">, host: HostId) {
  const { env, forge: how } = options;
  const { store, clock, settings, trees, secrets } = parts;
  const found = await findForge(settings.forge ?? "origin", await originOf(parts.workspace), env);
  secrets.add([{ name: `${found.kind.toUpperCase()}_TOKEN`, value: found.token }]);
  const { forge } = await openForgeAt(found, clock);
  const deliveries = await deliveriesOf(parts, env, repoName(found.repo));
  // A forge that is away is waited for later. A token that it refuses stays one.
  await orElse(forge.reach(), "forge_away", undefined);
  const tell = (text: string): Promise<void> => store.journal.warn(null, text);
  const merged = async (): Promise<void> => {
    if (!trees) return;
    const contact = { signal: AbortSignal.timeout(60_000), tell };
    await trees.follow(contact).catch((error) => tell(messageOf(error)));
    await removeLanded(trees, store);
  };
  const endIfIdle = async (end: () => Promise<void>): Promise<void> => {
    const [tasks, unsent] = [await store.board.tasks(), await store.forge.unsent()];
    if (unsent.length === 0 && tasks.every(isAtRest)) await end();
  };
  return {
    run: async (signal: AbortSignal, end: () => Promise<void>): Promise<void> => {
      const close = await deliveries();
      const onStep = how === "once" ? () => void endIfIdle(end).catch(() => {}) : undefined;
      const watch = new ForgeWatch({ store, clock, forge, host, settings, merged, tell, onStep });
      await watch.run(signal).finally(close);
    },
  };
}

/** Begins to take deliveries of webhooks, if a setting says so; returns what ends it. Without them the forge is polled all the same. */
async function deliveriesOf({ store, settings, secrets }: Parts, env: HostOptions["env"], repo: string) {
  const { forgeWebhook: address } = settings;
  if (address === undefined) return async () => undefined;
  const { secretOf, takeDeliveries } = await import("./webhook.ts");
  const secret = secretOf(env);
  secrets.add([{ name: "EKIDEN_WEBHOOK_SECRET", value: secret }]);
  return () =>
    takeDeliveries(address, secret, repo, store.forge.heard).then(
      ({ close }) => close,
      async (error: unknown) =>
        void (await store.journal.warn(null, `Webhook deliveries are not accepted: ${messageOf(error)}`)),
    );
}
