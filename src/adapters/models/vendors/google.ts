/** Gemini. Its calls carry an encrypted thought that must be sent back with them. */
import { packaged } from "../packaged.ts";
import type { Vendor, Whereabouts } from "../vendor.ts";

const addressOf = ({ baseUrl }: Whereabouts): string =>
  (baseUrl || "https://generativelanguage.googleapis.com/v1beta").replace(/\/+$/, "");

export const google: Vendor = {
  name: "google",
  keyVariable: "GOOGLE_GENERATIVE_AI_API_KEY",
  defaultModel: "gemini-3.8-flash",
  address: addressOf,
  async connect(model, options) {
    const { env, fetch } = options;
    const { createGoogleGenerativeAI } = await import("@ai-sdk/google");
    const address = addressOf(options);
    const secret = env.GOOGLE_GENERATIVE_AI_API_KEY ?? "";
    const connected = createGoogleGenerativeAI({ baseURL: address, apiKey: secret, fetch });
    return { ask: packaged(connected(model)), address, secret };
  },
};
