/** The page's policy lets scripts be loaded by marked addresses only. Those of this build are marked here, once. */
type Policy = { createScriptURL(url: string): string };
type Policies = {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): Policy;
};

let policy: Policy | undefined;

export function trustedUrl(url: string): string {
  const { trustedTypes } = window as unknown as { trustedTypes?: Policies };
  policy ??= trustedTypes?.createPolicy("ekiden", { createScriptURL: (text) => text });
  return policy?.createScriptURL(url) ?? url;
}
