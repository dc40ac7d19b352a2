/**
 * Detects text that looks like a secret, which memory must not keep. A guess on the safe side: the shapes of well-known keys,
 * and anything that is assigned to a name such as `password`.
 */
const SHAPES: readonly (readonly [kind: string, shape: RegExp])[] = [
  ["a private key", /-----BEGIN [A-Z ]*PRIVATE KEY-----/],
  ["an AWS key", /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/],
  ["a GitHub token", /\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})/],
  ["a GitLab token", /\bglpat-[A-Za-z0-9_-]{16,}/],
  ["an API key", /\b(?:sk|pk|rk)[-_](?:[A-Za-z]+\d*[-_]){0,4}[A-Za-z0-9_-]{16,}/],
  ["a Google API key", /\bAIza[0-9A-Za-z_-]{30,}/],
  ["a Slack token", /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/],
  ["an npm token", /\bnpm_[A-Za-z0-9]{30,}/],
  ["a signed token", /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/],
  ["a password in a URL", /\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s/:@]{1,200}:[^\s/@]{1,200}@/i],
  [
    "an authorization header",
    /\bauthorization["']?\s*[:=]\s*["']?(?:bearer|basic|token)\s+[A-Za-z0-9+/=._-]{8,}/i,
  ],
  [
    "a secret that is written out",
    /(?:pass(?:word|wd|phrase)|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credentials?)["']?\s*(?:[:=]|\bis\b)\s*["'`]?(?![$<{[(*%]|process\.env|env[.(:]|os\.environ)(?=[^\s"'`]*[0-9!#$%&*+/=?@^~])[^\s"'`]{6,}/i,
  ],
];

/** The kind of secret that the text seems to hold ("a GitHub token"), or null. */
export const secretIn = (text: string): string | null =>
  SHAPES.find(([, shape]) => shape.test(text))?.[0] ?? null;
