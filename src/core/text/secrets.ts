/**
 * Takes secrets out of text: known ones (keys in the environment and in the settings) and the well-known shapes of tokens. Each is
 * replaced by a mark with its name, by which an edit finds the secret in the file again. Values in other forms are not recognised:
 * this keeps secrets out of records and away from providers, but does not stop a program that wants to leak them.
 */
import { tried } from "../tried.ts";

/** A variable, field or header with such a name holds a secret. */
export const SECRET_NAME =
  /(?:KEY|TOKEN|SECRET|PASS(?:WORD|WD|PHRASE)?|CREDENTIALS?|AUTH(?:ORIZATION)?|_PAT)(?:_(?:ID|FILE))?$/i;

export type Secret = { readonly name: string; readonly value: string };

/** Shapes that nothing else has. `secretIn` (project/secret.ts) guesses more, because a note may be refused without harm. */
const SHAPES: readonly (readonly [name: string, shape: string])[] = [
  [
    "private key",
    "-----BEGIN [A-Z ]*PRIVATE KEY-----[A-Za-z0-9+/=\\s\\\\:,.-]*?(?:-----END [A-Z ]*PRIVATE KEY-----|(?![A-Za-z0-9+/=\\s\\\\:,.-]))",
  ],
  ["AWS key", "\\b(?:AKIA|ASIA)[0-9A-Z]{16}\\b"],
  ["GitHub token", "\\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,})"],
  ["GitLab token", "\\bglpat-[A-Za-z0-9_-]{20,}"],
  ["API key", "\\bsk-(?:ant|proj|svcacct|admin|or)-[A-Za-z0-9_-]{20,}|\\bsk-[A-Za-z0-9]{32,}"],
  ["Stripe key", "\\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,}"],
  ["Google key", "\\bAIza[0-9A-Za-z_-]{35}|\\bGOCSPX-[0-9A-Za-z_-]{20,}|\\bya29\\.[0-9A-Za-z_-]{20,}"],
  ["Slack token", "\\bxox[abeoprs]-[A-Za-z0-9-]{10,}|hooks\\.slack\\.com/services/T\\w+/B\\w+/\\w{20,}"],
  ["npm token", "\\bnpm_[A-Za-z0-9]{36}"],
  ["PyPI token", "\\bpypi-AgE[A-Za-z0-9_-]{40,}"],
  ["Hugging Face token", "\\bhf_[A-Za-z0-9]{30,}"],
  ["Docker token", "\\bdckr_[op]at_[A-Za-z0-9_-]{20,}"],
  ["DigitalOcean token", "\\bdo[op]_v1_[0-9a-f]{64}"],
  ["SendGrid key", "\\bSG\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}"],
  ["Shopify token", "\\bshp[acps][0-9a-fA-F]{32}"],
  ["Groq or xAI key", "\\b(?:gsk_|xai-)[A-Za-z0-9]{40,}"],
  ["Vault token", "\\bhv[sb]\\.[A-Za-z0-9_-]{24,}"],
  ["age key", "\\bAGE-SECRET-KEY-1[0-9A-Z]{50,}"],
  ["signed token", "\\beyJ[A-Za-z0-9_-]{8,}\\.eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{16,}"],
];

const markOf = (name: string): string => `[secret ${name.replace(/[^\w .-]/g, "_").slice(0, 60)}]`;
const MARKS = /\[secret [\w .-]{1,60}\]/g;

/** Each text of a shape has one of these: a text without them needs no closer look, which saves three quarters of the time. */
const HINTS = [
  ...["-----BEGIN ", "AKIA", "ASIA", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "sk-"],
  ...["sk_live_", "rk_live_", "sk_test_", "rk_test_", "AIza", "GOCSPX-", "ya29.", "hooks.slack.com", "npm_"],
  ...["xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "pypi-AgE", "hf_"],
  ...["dckr_pat_", "dckr_oat_", "dop_v1_", "doo_v1_", "SG.", "shpat_", "shpca_", "shppa_", "shpss_", "gsk_"],
  ...["xai-", "hvs.", "hvb.", "AGE-SECRET-KEY-1", "eyJ"],
];

export type Restored =
  | { readonly kind: "text"; readonly text: string }
  /** The original has several secrets of this mark, so that it does not say which is meant. */
  | { readonly kind: "ambiguous"; readonly mark: string };

export class Secrets {
  /** Each secret, and its name. */
  private readonly known = new Map<string, string>();
  private shape = /(?:)/g;
  private hint = /(?:)/;

  constructor(known: readonly Secret[] = []) {
    this.add(known);
  }

  add(known: readonly Secret[]): void {
    this.shape = this.shapeWith(known);
    this.hint = new RegExp([...this.known.keys(), ...HINTS].map(literal).join("|"));
  }

  readonly redact = (text: string): string =>
    this.hint.test(text) ? text.replace(this.shape, (found) => markOf(this.nameOf(found))) : text;

  /** The length of the end of `text` that may be the beginning of a secret: the next text decides. 0 for none. */
  openEnd(text: string): number {
    const tail = text.slice(-OPEN_MAX);
    const begun = [...this.known.keys()].map((form) => endsInside(tail, form, form.length - 1));
    begun.push(...HINTS.map((start) => endsInside(tail, start, start.length)));
    const key = tail.lastIndexOf(KEY_BEGINS);
    if (key >= 0 && !KEY_ENDS.test(tail.slice(key))) begun.push(tail.length - key);
    let word = tail.length;
    while (word > 0 && !BLANK.test(tail.charAt(word - 1))) word -= 1;
    if (ANY_HINT.test(tail.slice(word))) begun.push(tail.length - word);
    let cut = tail.length - Math.max(0, ...begun);
    if (cut < tail.length && this.hint.test(tail))
      for (const { 0: found, index } of tail.matchAll(this.shape))
        if (index < cut && cut < index + found.length) cut = index; // a whole secret stays whole
    return tail.length - cut;
  }

  /** `text` with each mark replaced by the secret of `original` that it stands for; marks that stand for none stay. */
  restore(text: string, original: string): Restored {
    const values = new Map<string, Set<string>>();
    for (const [found] of original.matchAll(this.shape)) {
      const mark = markOf(this.nameOf(found));
      values.set(mark, (values.get(mark) ?? new Set()).add(found));
    }
    for (const [mark] of text.matchAll(MARKS))
      if ((values.get(mark)?.size ?? 0) > 1) return { kind: "ambiguous", mark };
    return {
      kind: "text",
      text: text.replace(MARKS, (mark) => [...(values.get(mark) ?? [mark])][0] ?? mark),
    };
  }

  private nameOf(found: string): string {
    const known = this.known.get(found);
    if (known !== undefined) return known;
    return WHOLE.find(([, shape]) => shape.test(found))?.[0] ?? "token";
  }

  /** Keeps what is known, and returns what to look for. The longest comes first: it may begin as a shorter one does. */
  private shapeWith(more: readonly Secret[]): RegExp {
    for (const { name, value } of more)
      if (isTelling(value)) for (const form of formsOf(value)) this.known.set(form, name);
    const known = [...this.known.keys()].sort((a, b) => b.length - a.length).map(literal);
    return new RegExp([...known, ...SHAPES.map(([, shape]) => shape)].join("|"), "g");
  }
}

const WHOLE = SHAPES.map(([name, shape]) => [name, new RegExp(`^(?:${shape})$`)] as const);

/** A secret that is longer is not waited for. */
const OPEN_MAX = 8_000;
const BLANK = /\s/;
const ANY_HINT = new RegExp(HINTS.map((hint) => literal(hint)).join("|"));
const KEY_BEGINS = "-----BEGIN ";
const KEY_ENDS = /-----END [^-]*-----/;

/** The length of the beginning of `form` with which `text` ends. */
function endsInside(text: string, form: string, most: number): number {
  for (let length = Math.min(text.length, most); length > 0; length -= 1)
    if (text.endsWith(form.slice(0, length))) return length;
  return 0;
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

/** As it is, in JSON, in an address, and as `base64` prints it. */
function formsOf(value: string): string[] {
  const encoded = btoa(String.fromCharCode(...new TextEncoder().encode(value))).replace(/=+$/, "");
  // The last character also holds bits of what follows.
  return [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value), encoded.slice(0, -1)];
}

const SHORTEST = 8;
const LONGEST = 10_000;

/** A path, a number or a usual word is no secret: it would be taken out of every text that has it. */
function isTelling(value: string): boolean {
  if (value.length < SHORTEST || value.length > LONGEST || /^[./~]/.test(value)) return false;
  if (/^\s|^[\d.,:]*$|^(?:true|false|null|none|undefined)$/i.test(value)) return false;
  return value.length >= 16 || /^(?=.*\d)(?=.*\D)/.test(value);
}

/** The password of `scheme://user:password@host`, as it is written and as it is meant. */
function passwordsIn(value: string): string[] {
  if (!value.includes("://")) return []; // V8 takes half a millisecond of a start to compile the expression
  const found = /^[a-z][a-z0-9+.-]*:\/\/[^\s/@:]*:([^\s/@]+)@/i.exec(value)?.[1];
  if (found === undefined) return [];
  return tried(() => [found, decodeURIComponent(found)], [found]);
}

/** The secrets among named values: of an environment, of settings, of a server's headers; at any depth. */
export function namedSecrets(values: unknown, name = ""): Secret[] {
  if (typeof values === "string") {
    const passwords = passwordsIn(values).map((value) => ({ name: name || "password", value }));
    if (passwords.length > 0 || !SECRET_NAME.test(name)) return passwords;
    const value = values.replace(/^(?:Bearer|Basic|Token)\s+/i, "");
    // several keys of a provider in one variable
    const each = value.split(",").map((one) => one.trim());
    return [value, ...(each.length > 1 ? each.filter(({ length }) => length >= 12) : [])].map((one) => ({
      name,
      value: one,
    }));
  }
  if (typeof values !== "object" || values === null) return [];
  return Object.entries(values).flatMap(([key, value]) =>
    namedSecrets(value, Array.isArray(values) ? name : key),
  );
}
