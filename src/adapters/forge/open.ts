/** Finds the forge of a project: its address, its repository and a token. The token is a secret: it is told to nobody. */
import { execFile } from "node:child_process";
import { EkidenError } from "../../core/errors.ts";
import { type Repo, remoteRepo, repoName, repoOf } from "../../core/forge/model.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Forge } from "../../ports/forge.ts";
import { Github } from "./github.ts";
import { ForgeHttp } from "./http.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export type Found = {
  readonly kind: "github" | "gitea";
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
      : "The git remote origin names no repository of a forge. Name it by the setting forge, or ekiden forge --repo OWNER/NAME",
  );
}

/**
 * `named`: OWNER/NAME, or "origin" for the repository of that git remote. `remoteUrl`: of origin; null for none.
 * @throws EkidenError `bad_input` | `settings_invalid` (no repository) | `forge_refused` (no token)
 */
export async function findForge(named: string, remoteUrl: string | null, env: Environment): Promise<Found> {
  const remote = remoteUrl === null ? null : remoteRepo(remoteUrl);
  const repo = repoNamed(named, remoteUrl);
  const host =
    named === "origin" || remote?.repo.name === repo.name ? (remote?.host ?? "github.com") : "github.com";
  const gitea = trimmed(env.GITEA_API_URL) ?? (GITEAS.test(host) ? `https://${host}/api/v1` : null);
  if (gitea !== null)
    return { kind: "gitea", api: checked(gitea, "GITEA_API_URL"), graphql: "", repo, ...giteaToken(env) };
  const isPublic = /^(?:[\w-]+\.)*github\.com$/.test(host);
  const api = trimmed(env.GITHUB_API_URL) ?? (isPublic ? "https://api.github.com" : `https://${host}/api/v3`);
  const graphql = trimmed(env.GITHUB_GRAPHQL_URL) ?? `${api.replace(/\/v3$/, "")}/graphql`;
  for (const url of [api, graphql]) checked(url, "GITHUB_API_URL and GITHUB_GRAPHQL_URL");
  const { token, from } = await tokenOf(env, isPublic ? "github.com" : host);
  return { kind: "github", api, graphql, repo, token, from };
}

/** Of a Gitea or Forgejo whose host has another name GITEA_API_URL tells. */
const GITEAS = /(?:^|[.-])(?:gitea|forgejo|codeberg)(?:[.-]|$)/;

function checked(url: string, names: string): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw new EkidenError(
    "settings_invalid",
    `An address such as https://api.github.com is missing in ${names}.`,
  );
}

function giteaToken(env: Environment): Pick<Found, "token" | "from"> {
  for (const name of ["GITEA_TOKEN", "FORGEJO_TOKEN"]) {
    const token = env[name]?.trim();
    if (token) return { token, from: `the variable ${name}` };
  }
  throw new EkidenError(
    "forge_refused",
    "There is no token for the forge. Set GITEA_TOKEN or FORGEJO_TOKEN.",
  );
}

const trimmed = (url: string | undefined): string | undefined => url?.trim().replace(/\/+$/, "") || undefined;

async function tokenOf(env: Environment, host: string): Promise<Pick<Found, "token" | "from">> {
  for (const name of ["GITHUB_TOKEN", "GH_TOKEN"]) {
    const token = env[name]?.trim();
    if (token) return { token, from: `the variable ${name}` };
  }
  const token = await new Promise<string>((resolve) => {
    const options = { timeout: 10_000, env: env as NodeJS.ProcessEnv };
    execFile("gh", ["auth", "token", "--hostname", host], options, (error, out) =>
      resolve(error ? "" : out.trim()),
    );
  });
  if (token) return { token, from: "gh auth token" };
  throw new EkidenError(
    "forge_refused",
    "There is no token for the forge. Set GITHUB_TOKEN or GH_TOKEN, or log in with `gh auth login`.",
  );
}

export async function openForgeAt(
  { kind, api, graphql, token, repo }: Omit<Found, "from">,
  clock: Clock,
): Promise<{ forge: Forge & { reach(): Promise<void> }; http: ForgeHttp }> {
  const http = new ForgeHttp({
    api,
    graphql,
    token,
    clock,
    ...(kind === "gitea" && { scheme: "token", paging: "limit=50" }),
  });
  if (kind === "github") return { forge: new Github(repo, http), http };
  const { Gitea } = await import("./gitea.ts");
  return { forge: new Gitea(repo, http), http };
}
