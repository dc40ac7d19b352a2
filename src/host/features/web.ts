/** Pages of the web, behind the network rules. Where every host would be refused, the tool is not offered: it costs tokens. */
import { hostsOf } from "../../core/sandbox.ts";
import { fetchUrl } from "../../tools/fetch-url.ts";
import type { MakeFeature } from "../setup.ts";

export const web: MakeFeature = ({ web: { fetchPage, hosts }, parts: { settings }, questions }) => {
  const { allow, permissionMode } = settings;
  if (!questions.isWatched && hostsOf(allow).length === 0 && permissionMode !== "bypass") return null;
  const tool = fetchUrl(fetchPage, hosts.judgeFor);
  return { tools: () => [tool] };
};
