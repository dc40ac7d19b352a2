/** The editor at the other end. */
import type { AgentContext } from "@agentclientprotocol/sdk";

export type Editor = {
  readonly client: AgentContext;
  readonly hasForms: boolean;
  /** It shows child sessions. */
  readonly hasChildren: boolean;
};
