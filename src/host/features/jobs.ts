/** Background commands: a member can look after its own, the lead after everybody's. */
import { jobTools } from "../../tools/index.ts";
import type { MakeFeature } from "../setup.ts";

export const jobs: MakeFeature = () => ({ tools: () => jobTools });
