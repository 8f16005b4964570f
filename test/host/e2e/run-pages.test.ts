import { readFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchBrowser } from "../../../scripts/host/browser.mjs";
import { renderHtmlReport } from "../../../src/cli/report/html.ts";
import { renderPageHtml } from "../../../src/editor/panels/page-html-model.ts";
import { setTranslations, type Translations } from "../../../src/core/base/localize.ts";
import { aLongRun, aRun, aRunCall } from "../../support/a-run.ts";
import { casesOf } from "../../support/cases.ts";
import { hindrances, openPage, openPanelPage } from "./pages.ts";

const CHINESE = JSON.parse(
  readFileSync(new URL("../../../l10n/bundle.l10n.zh-cn.json", import.meta.url), "utf8"),
) as Translations;

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

const PARTS = {
  title: "Timeline",
  source: "http://page.test",
  script: "http://page.test/timeline.js",
  style: "http://page.test/timeline.css",
  nonce: "abc",
};
const panel = renderPageHtml({ ...PARTS, texts: {} });
const ONE_OF_TWO = {
  isLive: false,
  choices: [
    { id: "a", title: "one" },
    { id: "b", title: "two" },
  ],
} as const;

describe("the report of a run, as a page", () => {
  it("shows every test with its calls and bars, and makes no request", async () => {
    const { page, said, asked } = await openPage(browser, renderHtmlReport(aLongRun(10)));

    await expect.poll(() => page.locator("tr.test").count()).toBe(2);
    expect(await page.locator("tr.call .picture .bar").count()).toBe(10);
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toContain("npm test · strict");
    expect([said, asked]).toEqual([[], []]);
  });

  it("is in Chinese if the program is, with dates as Chinese writes them", async () => {
    setTranslations(CHINESE);
    const { page, said } = await openPage(browser, renderHtmlReport(aLongRun(10))).finally(() =>
      setTranslations(undefined),
    );

    expect(await page.locator("html").getAttribute("lang")).toBe("zh-CN");
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toMatch(/\d年\d+月\d+日/);
    expect(await page.locator("thead").innerText()).toMatch(/调用.*模型.*时间.*Token.*费用/s);
    await page.locator("tr.call button").first().click();
    expect(await page.locator(".facts").innerText()).toContain("录制时");
    expect(await hindrances(page)).toEqual([]);
    expect(said).toEqual([]);
  });

  it("shows untrusted text as text in every place", async () => {
    const hostile = `</script><img src=x onerror="window.hurt=1"><style>*{display:none}</style><!--`;
    const call = aRunCall(hostile, {
      model: hostile,
      note: hostile,
      outcome: "miss",
      test: { file: hostile, name: [hostile] },
    });
    const { page, said, asked } = await openPage(browser, renderHtmlReport(aRun([call], { title: hostile })));
    await page.locator("tr.call button").click();
    await page.locator("tr.call .picture").hover();

    expect(await page.locator("tr.call .title").innerText()).toBe(hostile);
    expect(await page.locator(".facts h2").innerText()).toBe(hostile);
    expect(
      await page.evaluate("[window.hurt === undefined, document.images.length, document.scripts.length]"),
    ).toEqual([true, 0, 2]);
    expect([said, asked]).toEqual([[], []]);
  });

  it("is reached by keys alone: rows, facts, zoom and search", async () => {
    const { page } = await openPage(browser, renderHtmlReport(aLongRun(10)));
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    await page.locator("tr.test button").first().focus();
    await page.keyboard.press("ArrowDown");
    expect(await focused()).toContain("A-1000?");
    await page.keyboard.press("Enter");
    expect(await page.getByRole("region", { name: "Selected call" }).innerText()).toContain("When recorded");
    await page.keyboard.press("End");
    expect(await focused()).toContain("A-1009?");

    const axis = () => page.locator(".axis").innerHTML();
    const whole = await axis();
    await page.keyboard.press("+");
    expect(await axis()).not.toBe(whole);
    await page.keyboard.press("0");
    expect(await axis()).toBe(whole);

    await page.getByRole("searchbox", { name: "Search calls" }).fill("A-1004");
    await expect.poll(() => page.locator("tr.call").count()).toBe(1);
    expect(await page.getByRole("status").innerText()).toBe("1 of 10 calls contain “A-1004”.");
  });

  it("shows the time of the recordings in place of the run's at a press", async () => {
    const { page } = await openPage(browser, renderHtmlReport(aLongRun(10)));
    const time = page.locator("tr.call").first().locator("td").nth(2);
    expect(await time.innerText()).toBe("1.5 ms");

    await page.getByRole("button", { name: "As recorded" }).click();

    expect(await time.innerText()).toBe("500 ms");
    expect(await page.locator("tr.call .rhythm").count()).toBeGreaterThan(0);
  });

  it.each([1_280, 640])("gives a label at least half of its cell, at %i px", async (width) => {
    const question = "Where is my order A-1042, and when will it be delivered to me?";
    const facts = {
      answered: `"${"It is on its way. ".repeat(5)}"`,
      test: { file: "a.test.ts", name: ["a"] },
    };
    const calls = [
      aRunCall(question, { ...facts, entry: `calls/openai/01/${"0123456789ab".padEnd(64, "0")}.json` }),
      aRunCall(question, { ...facts, continues: ["0123456789ab"] }),
    ];
    const { page } = await openPage(browser, renderHtmlReport(aRun(calls)), {
      viewport: { width, height: 600 },
    });

    const shares = await page
      .locator("tr.call td:first-child")
      .evaluateAll((cells) =>
        cells.map((cell) => (cell.querySelector(".title")?.clientWidth ?? 0) / cell.clientWidth),
      );
    expect(await page.locator("tr.call").last().innerText()).toMatch(/continues 1\s+→ /);
    expect(shares.map((share) => share >= 0.5)).toEqual([true, true]);
  });

  it("draws the first of a thousand calls, and the others on request", async () => {
    const { page } = await openPage(browser, renderHtmlReport(aLongRun(1_000)));
    expect(await page.locator("tr[data-index]").count()).toBe(300);

    await page.getByRole("button", { name: "Show more of 900 rows" }).click();
    expect(await page.locator("tr[data-index]").count()).toBe(600);
    await page.locator("tr.test button").first().focus();
    await page.keyboard.press("End");

    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain("A-1999?");
  });

  it("has 200 calls in less than 500 KB", () => {
    expect(Buffer.byteLength(renderHtmlReport(aLongRun(200)))).toBeLessThan(500_000);
  });

  it.each([
    ["light", { colorScheme: "light" }] as const,
    ["220 px", { viewport: { width: 220, height: 600 } }] as const,
    ...casesOf({
      quick: [],
      long: [
        ["dark", { colorScheme: "dark" }],
        ["forced colors", { forcedColors: "active" }],
        ["400 px", { viewport: { width: 400, height: 700 } }],
        ["150 % zoom", { viewport: { width: 853, height: 480 }, deviceScaleFactor: 1.5 }],
      ] as const,
    }),
  ])("is accessible, and overflows at no side: %s", async (_, options) => {
    const { page } = await openPage(browser, renderHtmlReport(aLongRun(40)), options);
    await page.locator("tr.call button").first().click();

    expect(await hindrances(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(
      0,
    );
    const cut = await page
      .locator("button:not(.label), h1, dd, .outcome")
      .evaluateAll((all) =>
        all
          .filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0)
          .map((one) => one.outerHTML),
      );
    expect(cut).toEqual([]);
  });
});

describe("the timeline's panel", () => {
  it("asks the editor for the document of a call that is pressed, and for its test", async () => {
    const opened = await openPanelPage(browser, panel, { name: "timeline" });
    await opened.show({ run: aLongRun(10), ...ONE_OF_TWO });
    await opened.page.locator("tr.call .picture").first().click();
    await opened.page.getByRole("button", { name: "Go to test" }).click();

    expect(opened.said).toEqual([]);
    expect(await opened.told()).toEqual([
      { type: "ready" },
      { type: "open", entry: `calls/openai/00/${"0".repeat(64)}.json` },
      { type: "goToTest", test: { file: "tests/agent-0.test.ts", name: ["agent", "question 0"], line: 3 } },
    ]);
  });

  it("begins with the test that it was opened for: its calls alone, as large as there is room", async () => {
    const { page, show } = await openPanelPage(browser, panel, { name: "timeline" });
    const test = { file: "tests/agent-0.test.ts", name: ["agent", "question 1"] };
    await show({ run: aLongRun(10), ...ONE_OF_TWO, test });

    expect(await page.locator("tr.test").innerText()).toContain("agent › question 1");
    expect(await page.getByRole("searchbox").inputValue()).toBe('"question 1"');
    expect(await page.locator(".axis").textContent()).not.toMatch(/^0 ms/);
  });

  it("keeps what was chosen over a reload", async () => {
    const { page, show } = await openPanelPage(browser, panel, { name: "timeline" });
    const data = { run: aLongRun(10), ...ONE_OF_TWO };
    await show(data);
    await page.getByRole("button", { name: "As recorded" }).click();
    await page.getByRole("searchbox").fill("question 1");
    await page.locator("tr.call button").first().click();

    await page.reload();
    await show(data);

    expect(await page.getByRole("button", { name: "As recorded" }).getAttribute("aria-pressed")).toBe("true");
    expect(await page.getByRole("searchbox").inputValue()).toBe("question 1");
    expect(await page.getByRole("region", { name: "Selected call" }).isVisible()).toBe(true);
  });

  it("adds calls as they arrive, and keeps typed text and the scroll position", async () => {
    const { page, show } = await openPanelPage(browser, panel, { name: "timeline" });
    await show({ run: aLongRun(5), ...ONE_OF_TWO, isLive: true });
    await page.getByRole("searchbox").pressSequentially("order");
    await show({ run: aLongRun(6), ...ONE_OF_TWO, isLive: true });

    await expect.poll(() => page.locator("tr.call").count()).toBe(6);
    expect(await page.getByText("running").isVisible()).toBe(true);
    expect(await page.evaluate(() => document.activeElement?.getAttribute("type"))).toBe("search");
  });

  it("has a hint when no run is known", async () => {
    const { page, show } = await openPanelPage(browser, panel, { name: "timeline" });
    await show({ isLive: false, choices: [] });

    expect(await page.locator("main").innerText()).toContain("Run tests that use Tapedeck");
    expect(await hindrances(page)).toEqual([]);
  });
});
