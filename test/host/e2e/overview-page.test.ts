import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchBrowser } from "../../../scripts/host/browser.mjs";
import { overviewData, type OverviewData } from "../../../src/core/overview/overview-data.ts";
import { pageHtml } from "../../../src/editor/panels/page-html-model.ts";
import { anOverview } from "../../core/overview/an-overview.ts";
import { hindrances, openPanelPage } from "./pages.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

const panel = pageHtml({
  title: "Overview",
  source: "http://page.test",
  script: "http://page.test/overview.js",
  style: "http://page.test/overview.css",
  nonce: "abc",
});
const data = overviewData(anOverview({ tests: 12, models: 3 }), () => "2026-11-23");
const open = (options: object = {}) => openPanelPage(browser, panel, { name: "overview", ...options });

describe("the page of an overview", () => {
  it("says numbers with their basis, and tells nobody of anything unasked", async () => {
    const { page, show, said, asked, told } = await open();
    await show(data);

    const facts = await page.locator(".facts").first().innerText();
    expect(facts).toContain(
      "Money saved\nabout $0.50\nEstimate: what the one replayed call cost when recorded",
    );
    expect(facts).toContain("Time saved\nabout 1.5 s");
    expect(
      await page.getByRole("img", { name: /^Calls by day: replayed 30, sent 30, missing 30/u }).count(),
    ).toBe(1);
    expect([said, asked, await told()]).toEqual([[], [], [{ type: "ready" }]]);
  });

  it("leads from each number to its calls, its run or its period", async () => {
    const { page, show, told } = await open();
    await show(data);
    await page.getByRole("button", { name: "openai" }).click();
    await page
      .getByRole("button", { name: /case 11/u })
      .first()
      .click();
    await page.getByRole("region", { name: "Runs" }).locator("tbody button").first().click();
    await page.getByRole("button", { name: "90 days" }).click();

    const [, provider, test, run, period] = await told();
    expect(provider).toEqual({ type: "calls", part: { provider: "openai" } });
    expect(test).toMatchObject({
      type: "calls",
      part: { test: { name: [{}, {}].map(() => expect.any(String) as string) } },
    });
    expect(run).toEqual({ type: "run", id: "run-0" });
    expect(period).toEqual({ type: "period", days: 90 });
  });

  it("shows a day's runs, from its bar or from the table behind, by keys alone", async () => {
    const { page, show } = await open();
    await show({
      ...data,
      runs: data.runs.map((one, index) => ({ ...one, day: index < 2 ? "2026-11-30" : one.day })),
    });
    await page.locator("summary").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "30 Nov" }).first().focus();
    await page.keyboard.press("Enter");

    const runs = page.getByRole("region", { name: "Runs of 30 Nov" });
    expect(await runs.locator("tbody tr").count()).toBe(2);
    await runs.getByRole("button", { name: "Runs of all days" }).click();
    expect(await page.getByRole("region", { name: "Runs" }).locator("tbody tr").count()).toBe(10);
  });

  it("keeps the focus and the open table where numbers change, and the period over a reload", async () => {
    const { page, show, told } = await open();
    await show(data);
    await page.locator("summary").click();
    await page.getByRole("button", { name: "7 days" }).focus();
    await page.keyboard.press("Enter");
    await show({ ...data, period: 7 });

    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("7 days");
    expect(await page.locator("details").getAttribute("open")).not.toBeNull();
    await page.reload();
    expect(await told()).toEqual([{ type: "ready" }, { type: "period", days: 7 }]);
  });

  it("says that recordings are being read, and what failed", async () => {
    const { page, show } = await open();
    await show({ ...data, reading: { done: 0, all: 0 } });
    const tell = (message: unknown) => page.evaluate((told) => window.postMessage(told, "*"), message);
    await tell({ type: "reading", reading: { done: 1_200, all: 9_000 } });
    await expect.poll(() => page.getByRole("status").innerText()).toBe("Reading recordings: 1,200 of 9,000…");
    expect(await page.getByRole("region", { name: "Recordings" }).count()).toBe(0);

    await tell({ type: "failed", reason: "The disk refuses." });
    await expect.poll(() => page.getByRole("status").innerText()).toBe("The disk refuses.");
  });

  it("leads from nothing to the first steps", async () => {
    const { page, show, told } = await open();
    await show(EMPTY);
    await page.getByRole("button", { name: "Get Started" }).click();

    expect((await told()).at(-1)).toEqual({ type: "start" });
  });

  it("draws an overview of a large folder at once", async () => {
    const { page } = await open();
    const large = overviewData(anOverview({ tests: 10_000, models: 200 }), () => "2026-11-23");
    const elements = await page.evaluate(
      async (message) => {
        window.postMessage(message, "*");
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
        return document.querySelectorAll("*").length;
      },
      { type: "data", data: large },
    );

    expect(elements).toBeGreaterThan(100);
    expect(elements).toBeLessThan(5_000);
  });

  it.each([
    ["light", { colorScheme: "light" }],
    ["dark", { colorScheme: "dark" }],
    ["forced colours", { forcedColors: "active" }],
    ["no motion", { reducedMotion: "reduce" }],
    ["400 px", { viewport: { width: 400, height: 700 } }],
    ["220 px", { viewport: { width: 220, height: 600 } }],
    ["150 % zoom", { viewport: { width: 853, height: 480 }, deviceScaleFactor: 1.5 }],
  ] as const)("hinders nobody, and runs over at no side: %s", async (_, options) => {
    const { page, show } = await open(options);
    await show(data);
    await page.locator("summary").click();

    expect(await hindrances(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(
      0,
    );
    const cut = await page
      .locator("button, h1, h2, dt, dd, th, td, figcaption")
      .evaluateAll((all) =>
        all
          .filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0)
          .map((one) => one.outerHTML),
      );
    expect(cut).toEqual([]);
  });
});

const EMPTY: OverviewData = {
  ...data,
  runs: [],
  tests: { count: 0, dearest: [], slowest: [] },
  overview: { ...data.overview, runs: 0, models: [], providers: [] },
  recordings: {
    again: { ...data.recordings.again, recordings: 0, bytes: 0 },
    unreadable: 0,
    unused: undefined,
    blobBytes: 0,
  },
};
