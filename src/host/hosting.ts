/** Holds the common parts of a run and a worker: the team over the parts of this process, what its members share, and the end. */
import { hostname } from "node:os";
import { MemoryFolder } from "../adapters/disk/memory.ts";
import { livesAs, OWN_IDENTITY } from "../adapters/process-identity.ts";
import type { IsAlive } from "../core/board/host.ts";
import type { HostId } from "../core/ids.ts";
import { lazy } from "../core/lazy.ts";
import type { Mode } from "../core/permission/mode.ts";
import type { FetchPage } from "../ports/web.ts";
import type { TeamParts } from "../runtime/team/team-parts.ts";
import { Stagger } from "../runtime/turn/stagger.ts";
import type { Crew } from "./compose.ts";
import type { Parts } from "./parts.ts";
import { permissionPolicy } from "./permission-policy.ts";
import { type Asks, PermissionQuestions } from "./permission-questions.ts";
import { WebHosts } from "./web-hosts.ts";

const REAP_MS = 500;

export const isAlive: IsAlive = ({ identity }) => livesAs(identity);

/** `isAttended`: a person talks to the team. Teammates that were asked for by name do not leave it then. */
export const teamParts = (parts: Parts, host: HostId, isAttended = false): Omit<TeamParts, "agent"> => ({
  ...{ store: parts.store, clock: parts.clock, shell: parts.shell, jobs: parts.jobs, host },
  process: { machine: hostname(), pid: process.pid, identity: OWN_IDENTITY },
  isAlive,
  onOrphans: parts.endOrphans,
  settings: { ...parts.settings, reapMs: REAP_MS },
  stays: (who) => isAttended && parts.settings.teammates?.some(({ name }) => name === who) === true,
});

type Shared = Pick<
  Crew,
  "parts" | "permissionPolicy" | "questions" | "memory" | "web" | "reported" | "stagger"
>;

/** The reader is loaded with the first page. */
function lazyReader(now: () => number): FetchPage {
  const reader = lazy(async () => (await import("../adapters/web/index.ts")).webReader(now));
  return async (...asked) => (await reader())(...asked);
}

/** `mode`: the permission mode, if it may change. */
export function shared(parts: Parts, asks: Asks = false, mode?: () => Mode): Shared {
  const questions = new PermissionQuestions(parts, asks);
  const policy = permissionPolicy(parts, questions, mode);
  const memory = new MemoryFolder(parts.workspace, parts.secrets.redact);
  const hosts = new WebHosts(parts, questions, mode ?? (() => parts.settings.permissionMode));
  const fetchPage: FetchPage = lazyReader(() => parts.clock.now());
  const web = { hosts, fetchPage };
  const stagger = new Stagger((ms, signal) => parts.clock.sleep(ms, signal));
  return { parts, questions, permissionPolicy: policy, memory, web, stagger, reported: new Set() };
}

/** All but the store. */
export async function closeParts({ agents, telemetry, mcp, sandbox }: Parts): Promise<void> {
  await agents.close();
  await telemetry?.close();
  await mcp?.close();
  await sandbox.close();
}
