/** The result of an action: data for programs and one sentence for people. */
export type Done<T = unknown> = { readonly data: T; readonly text: string };
