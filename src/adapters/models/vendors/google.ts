/** Gemini. Its calls carry a sealed thought that must go back with them. */
import type { Vendor } from "../vendor.ts";

export const google: Vendor = {
  name: "google",
  keyVariable: "GOOGLE_GENERATIVE_AI_API_KEY",
  defaultModel: "gemini-3.8-flash",
  async connect(model, { env, baseUrl, fetch }) {
    const { createGoogleGenerativeAI } = await import("@ai-sdk/google");
    const address = (baseUrl || "https://generativelanguage.googleapis.com/v1beta").replace(/\/+$/, "");
    const secret = env.GOOGLE_GENERATIVE_AI_API_KEY ?? "";
    const connected = createGoogleGenerativeAI({ baseURL: address, apiKey: secret, fetch });
    return { model: connected(model), address, secret };
  },
};
