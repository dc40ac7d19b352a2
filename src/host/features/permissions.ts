/** Permissions: the policy decides about every call, and a lead that answers for the person has the tool for it. */
import { permitted } from "../../runtime/agent/call.ts";
import { reviewPermission } from "../../tools/permissions.ts";
import type { MakeFeature } from "../setup.ts";

export const permissions: MakeFeature = ({ parts: { settings }, profile, permissionPolicy }) => ({
  wrap: permitted(permissionPolicy),
  ...(profile.kind === "lead" && settings.permissionsTo === "lead" && { tools: () => [reviewPermission] }),
});
