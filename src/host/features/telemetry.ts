/** Exports the work of this member as spans and metrics, where OpenTelemetry's variables name a receiver. */
import type { MakeFeature } from "../setup.ts";

export const telemetry: MakeFeature = ({ parts, profile }) => {
  parts.telemetry?.hosts(profile.name);
  return null;
};
