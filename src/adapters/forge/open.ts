/** Finds the forge of a project: its address, its repository and a token. The token is a secret: it is told to nobody. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { EkidenError } from "../../core/errors.ts";
import { type Repo, remoteRepo, repoName, repoOf } from "../../core/forge/model.ts";
import type { Clock } from "../../ports/clock.ts";
import { type Access, ForgeHttp } from "./http.ts";
import type { Rest } from "./rest.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export type Found = {
  readonly kind: "github" | "gitea" | "gitlab";
  readonly api: string;
  readonly graphql: string;
  readonly repo: Repo;
  readonly token: string;
  /** Where the token is from, in words. */
  readonly from: string;
};

/** The command that adds the remote. `at`: unknown before there is one. */
export const addOrigin = (at?: Pick<Found, "api" | "repo">): string =>
  `git remote add origin https://${at ? new URL(at.api).host.replace(/^api\./, "") : "github.com"}/${at ? repoName(at.repo) : "OWNER/NAME"}.git`;

/** @throws EkidenError `bad_input` | `settings_invalid` */
export function repoNamed(named: string, remoteUrl: string | null): Repo {
  if (named !== "origin") return repoOf(named);
  const found = remoteUrl === null ? null : remoteRepo(remoteUrl);
  if (found) return found.repo;
  throw new EkidenError(
    "settings_invalid",
    remoteUrl === null
      ? `The git remote origin is missing: tasks start from it, and their branches are pushed there. Add it: ${addOrigin()}`
      : "The git remote origin is not a repository on a forge. Set the setting forge, or run ekiden forge --repo OWNER/NAME",
  );
}

type Kind = {
  /** Hosts that are known to be of this kind. Others are named by the variable. */
  readonly hosts: RegExp;
  readonly variable: string;
  readonly tokens: readonly string[];
  /** Of the interface. */
  readonly path: string;
  readonly how?: Pick<Access, "scheme" | "paging" | "accept">;
  readonly load: () => Promise<new (repo: Repo, http: ForgeHttp) => Rest>;
};
const KINDS: Readonly<Record<Found["kind"], Kind>> = {
  gitea: {
    ...{
      hosts: /(?:^|[.-])(?:gitea|forgejo|codeberg)(?:[.-]|$)/,
      variable: "GITEA_API_URL",
      path: "/api/v1",
    },
    ...{ tokens: ["GITEA_TOKEN", "FORGEJO_TOKEN"], how: { scheme: "token", paging: "limit=50" } },
    load: async () => (await import("./gitea.ts")).Gitea,
  },
  gitlab: {
    ...{ hosts: /(?:^|[.-])gitlab(?:[.-]|$)/, variable: "GITLAB_API_URL", path: "/api/v4" },
    ...{ tokens: ["GITLAB_TOKEN"], how: { accept: "application/json" } },
    load: async () => (await import("./gitlab.ts")).Gitlab,
  },
  /** And all that nothing names. */
  github: {
    ...{ hosts: /(?:^|\.)github\.com$/, variable: "GITHUB_API_URL", path: "/api/v3" },
    tokens: ["GITHUB_TOKEN", "GH_TOKEN"],
    load: async () => (await import("./github.ts")).Github,
  },
};

/**
 * `named`: OWNER/NAME, or "origin" for the repository of that git remote. `remoteUrl`: of origin; null for none.
 * @throws EkidenError `bad_input` | `settings_invalid` (no repository) | `forge_refused` (no token)
 */
export async function findForge(named: string, remoteUrl: string | null, env: Environment): Promise<Found> {
  const remote = remoteUrl === null ? null : remoteRepo(remoteUrl);
  const repo = repoNamed(named, remoteUrl);
  const isRemote = named === "origin" || remote?.repo.name === repo.name;
  const host = (isRemote && remote?.host) || "";
  const kind = kindOf(host, env);
  const { variable, path, hosts } = KINDS[kind];
  const isPublic = kind === "github" && (host === "" || hosts.test(host));
  const known = isPublic ? "https://api.github.com" : `https://${host}${path}`;
  const api = addressIn(env, variable, known);
  const graph = `${api.replace(/\/v3$/, "")}/graphql`;
  const graphql = kind === "github" ? addressIn(env, "GITHUB_GRAPHQL_URL", graph) : "";
  return { kind, api, graphql, repo, ...(await tokenOf(kind, env, isPublic ? "github.com" : host)) };
}

/** A host that is known counts before the variables: they may be for the repositories of another forge. */
function kindOf(host: string, env: Environment): Found["kind"] {
  const all = Object.entries(KINDS) as [Found["kind"], Kind][];
  const found =
    all.find(([, { hosts }]) => hosts.test(host)) ?? all.find(([, { variable }]) => trimmed(env[variable]));
  return found?.[0] ?? "github";
}

const trimmed = (url: string | undefined): string | undefined => url?.trim().replace(/\/+$/, "") || undefined;

function addressIn(env: Environment, name: string, otherwise: string): string {
  const url = trimmed(env[name]) ?? otherwise;
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw new EkidenError(
    "settings_invalid",
    `An address such as https://api.github.com is missing in ${name}.`,
  );
}

async function tokenOf(kind: Found["kind"], env: Environment, host: string) {
  const { tokens } = KINDS[kind];
  const name = tokens.find((one) => env[one]?.trim());
  if (name !== undefined) return { token: env[name]?.trim() ?? "", from: `the variable ${name}` };
  const options = { timeout: 10_000, env: env as NodeJS.ProcessEnv };
  const asked =
    kind === "github" && promisify(execFile)("gh", ["auth", "token", "--hostname", host], options);
  const token = asked ? await asked.then(({ stdout }) => stdout.trim()).catch(() => "") : "";
  if (token) return { token, from: "gh auth token" };
  const more = kind === "github" ? ", or log in with `gh auth login`" : "";
  throw new EkidenError(
    "forge_refused",
    `There is no token for the forge. Set ${tokens.join(" or ")}${more}.`,
  );
}

export async function openForgeAt(
  { kind, api, graphql, token, repo }: Omit<Found, "from">,
  clock: Clock,
): Promise<{ forge: Rest; http: ForgeHttp }> {
  const http = new ForgeHttp({ api, graphql, token, clock, ...KINDS[kind].how });
  return { forge: new (await KINDS[kind].load())(repo, http), http };
}
