import { readFileSync } from "node:fs";
import { join } from "node:path";
import axe from "axe-core";
import type { Browser, BrowserContextOptions, Frame, Page } from "playwright-core";
import { rootDir } from "../../../scripts/host/paths.mjs";

/** A page in a browser, and what was written to its console or went wrong in it. */
export interface OpenPage {
  readonly page: Page;
  readonly said: readonly string[];
  /** URLs that the page requested, except its own. */
  readonly asked: readonly string[];
}

const ORIGIN = "http://page.test";

/** Opens HTML as a standalone page; all its other requests fail. */
export async function openPage(
  browser: Browser,
  html: string,
  {
    files = {},
    ...options
  }: BrowserContextOptions & { readonly files?: Readonly<Record<string, string>> } = {},
): Promise<OpenPage> {
  const context = await browser.newContext({
    viewport: { width: 1_280, height: 720 },
    locale: "en-US",
    ...options,
  });
  const page = await context.newPage();
  const [said, asked]: [string[], string[]] = [[], []];
  page.on("console", (message) => said.push(message.text()));
  page.on("pageerror", (error) => said.push(String(error)));
  await page.route("**", (route) => {
    const path = route.request().url().slice(ORIGIN.length);
    if (path === "/") return route.fulfill({ contentType: "text/html; charset=utf-8", body: html });
    const type = path.endsWith(".css") ? "text/css" : "text/javascript";
    const file = files[path.slice(1)];
    if (file !== undefined) return route.fulfill({ contentType: `${type}; charset=utf-8`, body: file });
    asked.push(route.request().url());
    return route.abort();
  });
  await page.goto(`${ORIGIN}/`);
  return { page, said, asked };
}

/** Opens a panel's page as the webview shows it, with an editor that only logs messages. */
export async function openPanelPage(
  browser: Browser,
  html: string,
  options: BrowserContextOptions & { readonly name: string },
): Promise<
  OpenPage & {
    readonly told: () => Promise<readonly unknown[]>;
    readonly show: (data: unknown) => Promise<void>;
  }
> {
  const { name, ...rest } = options;
  const read = (file: string): string => readFileSync(join(rootDir, "dist", "pages", file), "utf8");
  const files = {
    [`${name}.js`]: `${EDITOR};${read(`${name}.js`)}`,
    [`${name}.css`]: read(`${name}.css`),
  };
  const opened = await openPage(browser, html, { ...rest, files });
  return {
    ...opened,
    told: () => opened.page.evaluate("window.told"),
    async show(data) {
      await opened.page.evaluate((message) => window.postMessage(message, "*"), { type: "data", data });
      await opened.page.locator("main > *").first().waitFor();
    },
  };
}

/** The API that a webview gives to its page. The state survives a reload. */
const EDITOR = `
window.told = [];
window.acquireVsCodeApi = () => ({
  postMessage: (message) => window.told.push(message),
  getState: () => JSON.parse(sessionStorage.getItem("state") ?? "null") ?? undefined,
  setState: (state) => sessionStorage.setItem("state", JSON.stringify(state)),
})`;

/** What hinders people with a page, by the rules of axe: a line each. */
export async function hindrances(page: Page | Frame): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: Axe }).axe.run();
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  });
}

interface Axe {
  run(): Promise<{
    readonly violations: readonly {
      readonly id: string;
      readonly nodes: readonly { readonly html: string }[];
    }[];
  }>;
}
