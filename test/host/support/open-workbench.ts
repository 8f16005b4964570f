import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { launchBrowser } from "../../../scripts/host/browser.mjs";
import { startDemoHost, type DemoHost } from "../../../scripts/host/demo-host.mjs";
import { resultsDir } from "../../../scripts/host/paths.mjs";
import { unasked, undisturbed } from "../../../scripts/host/server.mjs";
import { casesOf } from "../../support/cases.ts";
import { editorOf, type EditorHands } from "./editor.ts";
import { terminalOf, type TerminalHands } from "./terminal.ts";
import { testingOf, type TestingHands } from "./testing.ts";
import { viewOf, type ViewHands } from "./view.ts";
import { windowOf, type WindowHands } from "./window.ts";

/** By the name of each: how settings call it, and the class that its window has. */
const THEMES = {
  light: { setting: "Light Modern", className: "vs" },
  dark: { setting: "Dark Modern", className: "vs-dark" },
  contrast: { setting: "Default High Contrast", className: "hc-black" },
} as const;

export interface WorkbenchOptions {
  /** Folder to open a copy of; the sample workspace where none is given. */
  readonly workspace?: string;
  /** Names of several copies of it, opened together. */
  readonly folders?: readonly string[];
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly theme?: keyof typeof THEMES;
  /** Open in Restricted Mode. */
  readonly restricted?: boolean;
  /** What VS Code has in its environment in place of the keys for practice. */
  readonly env?: Readonly<Record<string, string>>;
  /** Language of the extension's texts, such as "zh-cn"; English by default. */
  readonly language?: string;
  /** Folder of another extension to install in place of the checkout. */
  readonly extension?: string;
  /** Package to install in its place. */
  readonly vsix?: string;
  /** Folders of other extensions to install beside it. */
  readonly beside?: readonly string[];
  readonly size?: { readonly width: number; readonly height: number };
  /** Milliseconds between the events of the practice upstream's streams; default 0. */
  readonly delayMs?: number;
  /** Whether Tapedeck is active from the start, as in a project with recordings; default true. */
  readonly waits?: boolean;
  /** The folder of screenshots; test-results/screenshots by default. */
  readonly pictures?: string;
  /** Device pixels per CSS pixel; 1 by default. */
  readonly scale?: number;
}

/** One window. What reads the screen gives what is there now: wait with `expect.poll`. */
export interface Window extends WindowHands, ViewHands, EditorHands, TerminalHands, TestingHands {
  readonly page: Page;
}

/** A VS Code as its user has it before them. */
export interface Workbench extends Window {
  /** The opened copy of the workspace, on disk; of several, the first. */
  readonly folder: string;
  /** The temporary folder that holds the VS Code server and all that it writes. */
  readonly home: string;
  /** Loads the window anew. */
  reload(): Promise<void>;
  /** Opens one more window on the same folder. */
  anotherWindow(): Promise<Window>;
  /** The practice upstream; its `requests` tell whether something left the editor. */
  readonly upstream: DemoHost["upstream"];
  /** Takes a picture of the window; gives the file's path. */
  screenshot(name: string): Promise<string>;
  /** With TEST_LONG=1, takes one in light and one in dark, `<name>-light` and `<name>-dark`. */
  screenshots(name: string): Promise<void>;
  /** Changes the user's settings, which VS Code reads when it notices. */
  set(settings: Readonly<Record<string, unknown>>): void;
  close(): Promise<void>;
}

const RELOAD = "Developer: Reload Window";

const open = new Set<Workbench>();

export const openBenches = (): readonly Workbench[] => [...open];

export async function closeAll(): Promise<void> {
  await Promise.all(openBenches().map((bench) => bench.close()));
}

/** Starts a VS Code and a browser on it; resolves once Tapedeck's status bar item is there. Closed after the file. */
export async function openWorkbench(options: WorkbenchOptions = {}): Promise<Workbench> {
  const {
    theme = "light",
    settings,
    size = { width: 1400, height: 900 },
    delayMs = 0,
    pictures = join(resultsDir, "screenshots"),
    scale = 1,
    waits = true,
    ...rest
  } = options;
  const host = await startDemoHost({
    without: unasked,
    ...rest,
    delayMs,
    log: join(resultsDir, `workbench-server-${process.env["VITEST_POOL_ID"]}.log`),
    settings: {
      ...undisturbed,
      "workbench.colorTheme": THEMES[theme].setting,
      "window.autoDetectColorScheme": false,
      ...settings,
    },
  });
  const browser = await launchBrowser().catch(async (error: unknown) => {
    await host.close();
    throw error;
  });
  const close = async () => {
    open.delete(bench);
    await browser.close();
    await host.close();
  };
  const context = await browser.newContext({ viewport: size, deviceScaleFactor: scale, locale: "en-US" });
  context.setDefaultTimeout(60_000);
  const window = aWindow(await context.newPage());
  const { page } = window;
  const showTheme = async (name: keyof typeof THEMES) => {
    const { setting, className } = THEMES[name];
    host.set({ "workbench.colorTheme": setting });
    await page.locator(`.monaco-workbench.${className}`).waitFor();
  };
  const themes = { quick: [], long: ["light", "dark"] } as const;
  const bench: Workbench = {
    ...window,
    folder: host.folder,
    home: host.home,
    reload: async () => {
      // As a person does it: VS Code keeps what is open first.
      await page.keyboard.press("F1");
      const palette = page.locator(".quick-input-widget");
      await palette.locator("input[type=text]").first().fill(`>${RELOAD}`);
      await palette.locator(".monaco-list-row", { hasText: RELOAD }).first().waitFor();
      const loaded = page.waitForEvent("load");
      await page.keyboard.press("Enter");
      await loaded;
      await window.statusItem.waitFor();
    },
    anotherWindow: async () => {
      const another = aWindow(await context.newPage());
      await another.page.goto(host.url);
      await another.statusItem.waitFor();
      return another;
    },
    upstream: host.upstream,
    screenshot: async (name) => {
      mkdirSync(pictures, { recursive: true });
      const path = join(pictures, `${name}.png`);
      await page.screenshot({ path });
      return path;
    },
    screenshots: async (name) => {
      for (const shown of casesOf<readonly (keyof typeof THEMES)[]>(themes)) {
        await showTheme(shown);
        await bench.screenshot(`${name}-${shown}`);
      }
      await showTheme(theme);
    },
    set: (changed) => host.set(changed),
    close,
  };
  open.add(bench);
  await page.goto(host.url);
  await page.locator(".monaco-workbench").waitFor();
  if (waits) await bench.statusItem.waitFor();
  return bench;
}

function aWindow(page: Page): Window {
  return {
    ...windowOf(page),
    ...viewOf(page),
    ...editorOf(page),
    ...terminalOf(page),
    ...testingOf(page),
    page,
  };
}
