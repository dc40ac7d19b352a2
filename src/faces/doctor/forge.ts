/** `ekiden doctor --forge`: which token is used at the forge of the project, and what it may do there. The token itself is never shown. */
import { systemClock } from "../../adapters/clock.ts";
import { addOrigin, findForge, openForgeAt } from "../../adapters/forge/open.ts";
import { messageOf, orElse } from "../../core/errors.ts";
import { of } from "../../core/forge/json.ts";
import { repoName } from "../../core/forge/model.ts";
import { originOf } from "../../host/forge/found.ts";
import type { Invocation } from "../kit/invocation.ts";
import { type Finding, missing, ok, wrong } from "./finding.ts";

const NO_ORIGIN =
  "the git remote origin is missing: tasks start from it, and their branches are pushed there";
const NO_ACCESS = "Give the token access to this repository, or name another one with --repo.";
const NO_RIGHTS = "The token needs write access to contents, issues and pull requests.";

/** Reads only. Never throws for what is wrong at the forge. */
export async function forgeFindings(call: Invocation): Promise<Finding[]> {
  const settings = await call.settings();
  try {
    const origin = await originOf(call.cwd);
    const found = await findForge(settings.forge ?? "origin", origin, call.env);
    const { http, forge } = await openForgeAt(found, systemClock);
    const isBare = settings.remote === undefined && origin === null;
    const read = (path: string): Promise<{ readonly status: number; readonly data: unknown }> =>
      orElse(http.get(path), "forge_refused", { status: 403, data: null });
    const [user, repo] = [await read("/user"), await read(forge.base)];
    const branch = of(repo.data).default_branch ?? "HEAD";
    const checks = await read(forge.checksAt(String(branch)));
    const { pull, push, admin } = forge.rights(of(repo.data));
    const { scopes } = of(forge.scopesAt && (await read(forge.scopesAt)).data);
    const isBound = Array.isArray(scopes) && !scopes.includes("api");
    const texts = "Its own texts are known by their marks alone.";
    const noChecks =
      "Runs of Actions and statuses are read instead; checks of other services that are no statuses are not seen.";
    return [
      ok("forge", `${repoName(found.repo)} at ${new URL(found.api).host}, by ${found.from}`),
      ...(isBare ? [wrong("remote", NO_ORIGIN, `Add it: ${addOrigin(found)}`)] : []),
      user.status === 200
        ? ok("account", String(of(user.data).login ?? of(user.data).username))
        : missing("account", "the forge does not say whose token it is", texts),
      repo.status !== 200
        ? wrong("repository", `the forge answers ${repo.status}`, NO_ACCESS)
        : push && !isBound
          ? ok("rights", admin ? "admin" : "write: it opens and merges pull requests")
          : wrong("rights", pull || isBound ? "read only" : "none that the forge names", NO_RIGHTS),
      checks.status === 200
        ? ok("checks", "it reads check runs")
        : missing("checks", "it may not read check runs", noChecks),
    ];
  } catch (error) {
    return [wrong("forge", messageOf(error), "docs/forge.md says what is needed.")];
  }
}
