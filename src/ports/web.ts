/** Pages of the web, read by members. */

/** Whether a host may be asked. Called for the address of a page and for each redirect to another host. @throws EkidenError `not_permitted` */
export type JudgeHost = (url: URL) => Promise<HostVerdict>;

/** `isPrivate`: a rule names this host, so its address may be one of this machine or of a private network. */
export type HostVerdict = { readonly mayBePrivate: boolean };

export type WebPage = {
  /** After redirects. */
  readonly url: string;
  readonly status: number;
  readonly mediaType: string;
  /** HTML as Markdown, other text as it is. */
  readonly text: string;
  /** The page was longer than what is read of a page. */
  readonly isCut: boolean;
  /** Milliseconds since it was fetched; 0 for a page that was fetched now. */
  readonly ageMs: number;
};

/** @throws EkidenError `bad_input` | `not_permitted`: says what to do instead */
export type FetchPage = (url: string, judge: JudgeHost, signal: AbortSignal) => Promise<WebPage>;
