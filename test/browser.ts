/** One Chromium for all tests of a run. It starts when the first of them asks for it, and again when it has ended. */
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { BrowserServer, LaunchOptions } from "playwright-core";

export const WHOLE = process.env.CHROMIUM ?? "/usr/bin/chromium";
/** Debian's package of the same name: Chromium without windows. A page costs less than half of the processor time. */
const SHELL = "/usr/bin/chromium-headless-shell";

export const BROWSER: LaunchOptions = {
  executablePath: process.env.CHROMIUM === undefined && existsSync(SHELL) ? SHELL : WHOLE,
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
};

export type SharedBrowser = {
  /** It serves the address of the browser, for `chromium.connect`. */
  readonly url: string;
  stop(): Promise<void>;
};

export async function shareBrowser(): Promise<SharedBrowser> {
  let browser: Promise<BrowserServer> | null = null;
  const launch = async (): Promise<BrowserServer> => {
    const { chromium } = await import("playwright-core");
    const launched = await chromium.launchServer(BROWSER);
    launched.once("close", () => {
      browser = null;
    });
    return launched;
  };
  const server = createServer((_, response) => {
    browser ??= launch();
    browser.then(
      (launched) => response.end(launched.wsEndpoint()),
      (error) => {
        browser = null;
        response.writeHead(500).end(String(error));
      },
    );
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.close();
      await (await browser)?.close();
    },
  };
}
