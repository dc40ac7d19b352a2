/** Whether the person wants notifications of the browser, and it shows them. */
export const WANTED = "ekiden-notify";

/** Browsers let only safe addresses notify: this machine, or https. */
export const canNotify = (): boolean => "Notification" in globalThis && isSecureContext;
export const isNotifying = (): boolean =>
  canNotify() && Notification.permission === "granted" && localStorage.getItem(WANTED) === "1";
