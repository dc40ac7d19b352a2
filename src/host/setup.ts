/** The input of the features of a member: the member, and the parts that this process opened for all members. */
import type { MemoryFolder } from "../adapters/disk/memory.ts";
import type { Profile } from "../core/board/member.ts";
import type { Entry } from "../core/conversation/chat.ts";
import type { Conversation } from "../core/conversation/conversation.ts";
import type { Name } from "../core/ids.ts";
import type { Model } from "../ports/index.ts";
import type { FetchPage } from "../ports/web.ts";
import type { Booked, Feature } from "../runtime/agent/agent.ts";
import type { PermissionPolicy } from "../runtime/agent/call.ts";
import type { MemberHooks } from "../runtime/hooks/member-hooks.ts";
import type { Spool } from "../runtime/wraps/result-size.ts";
import type { Used } from "./money/spent.ts";
import type { Parts } from "./parts.ts";
import type { PermissionQuestions } from "./permission/permission-questions.ts";
import type { ProjectFiles } from "./project-files.ts";
import type { WebHosts } from "./web-hosts.ts";

export type Setup = {
  readonly parts: Parts;
  readonly profile: Profile;
  readonly model: Model;
  readonly conversation: Conversation;
  /** Its transcript from the last summary on. */
  readonly entries: readonly Entry[];
  readonly spool: Spool;
  readonly hooks: MemberHooks;
  readonly files: ProjectFiles;
  readonly memory: MemoryFolder;
  readonly permissionPolicy: PermissionPolicy;
  readonly questions: PermissionQuestions;
  /** Pages of the web, for all members of this process. */
  readonly web: { readonly hosts: WebHosts; readonly fetchPage: FetchPage };
  /** For budgets: the costs of a member's subagents and reflection, call by call. */
  readonly onCost: (who: Name, used: Used) => Booked;
  /** A note for a member about a limit, or of a look at its work, once. */
  readonly noteOfLimit: (who: Name) => string | null;
  /** The lead deletes its own team. */
  readonly onDeleteTeam: () => void;
};

/** Null where the settings or the project switch the feature off. */
export type MakeFeature = (setup: Setup) => Feature | null | Promise<Feature | null>;
