/** The answers for the owner of the page alone: the link for other people, and keys of providers. */
import type { Context, Hono } from "hono";
import type { Access } from "./access.ts";
import { bodyOf } from "./body.ts";
import { changeLink, type Links } from "./links.ts";
import type { TeamPage } from "./teams.ts";
import { mustAct, type Visitor } from "./visitors.ts";

// biome-ignore lint/suspicious/noExplicitAny: the variables of the server's own environment
type Any = any;
type Asked = { readonly team: string; readonly page: TeamPage; readonly body: () => Promise<unknown> };

export function ownRoutes(
  app: Hono<Any>,
  {
    access,
    links,
    teamOf,
  }: { access: Access; links: Links | undefined; teamOf: (c: Context) => Promise<TeamPage> },
): void {
  const of = async (c: Context): Promise<Asked> => {
    mustAct(c.get("visitor") as Visitor);
    const page = await teamOf(c); // a link to nothing is none
    return { team: c.req.param("team") ?? "", page, body: () => bodyOf(c.req.raw) };
  };
  app.get("/api/:team/link", async (c) => c.json(links?.of((await of(c)).team) ?? null));
  app.post("/api/:team/link", async (c) => {
    const { team, body } = await of(c);
    return c.json(changeLink(links, team, await body()));
  });
  app.get("/api/:team/keys", async (c) => {
    const { page } = await of(c);
    const { providerKeys } = await import("./keys.ts");
    return c.json(providerKeys(access, page.project.env ?? {}));
  });
  app.post("/api/:team/keys", async (c) => {
    const { page, body } = await of(c);
    const { changeKey } = await import("./keys.ts");
    const { settings, env = {} } = page.project;
    return c.json(await changeKey(access, { settings, env }, await body()));
  });
}
