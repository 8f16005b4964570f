import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { demoGuide } from "../../../scripts/host/paths.mjs";
import { openWorkbench, type Workbench } from "../support/open-workbench.ts";

const PICTURES = process.env["TEST_PICTURES"] ?? join("test-results", "screenshots");

let bench: Workbench;
beforeAll(async () => {
  bench = await openWorkbench({ beside: [demoGuide], pictures: PICTURES, waits: false });
});

const rows = () => bench.treeRows().then((lines) => lines.join("\n"));
/** What stands in pages within the window: steps have one, and the preview is one. */
const pages = () =>
  Promise.all(
    bench.page.frames().map((frame) => frame.evaluate(() => document.body.innerText).catch(() => "")),
  ).then((texts) => texts.join("\n"));
const step = (title: string) =>
  bench.page.locator(".getting-started-step").filter({ hasText: title }).first();
const press = async (title: string, button: string) => {
  await step(title).locator("h3").first().click();
  await step(title).getByRole("button", { name: button }).click();
};

describe("the demo's first minute", () => {
  it("begins with the view beside its README and steps to press, and has Record above a test", async () => {
    await step("Run the tests").waitFor();
    const tab = (name: string) => bench.page.locator(".tab", { hasText: name });
    await expect.poll(() => tab("README.md").getAttribute("aria-selected")).toBe("true");
    await expect.poll(pages).toContain("Support desk: a project to try Tapedeck on");
    await bench.screenshots("demo-first-minute");

    await expect.poll(rows).toContain("Recordings");
    await tab("classify.test.ts").click();
    const lens = bench.page.locator(".codelens-decoration a").getByText("Record", { exact: true });
    await expect.poll(() => lens.count()).toBeGreaterThan(0);
  });

  it("ticks its first step, too, where the tests are run by hand", async () => {
    await bench.runInTerminal("npm test");

    await expect.poll(rows, { timeout: 60_000 }).toContain("Missing  2");
    const tick = step("Run the tests").locator(".codicon-getting-started-step-checked");
    await expect.poll(() => tick.count()).toBe(1);
  });

  it("runs the tests at a press, and shows what is missing", async () => {
    await press("Run the tests", "Run the Tests");

    await expect.poll(rows, { timeout: 60_000 }).toContain("Missing  2");
    await bench.screenshots("demo-missing");
  });

  it("records what is missing at a press", async () => {
    await press("Record it", "Record Everything Missing");

    await expect.poll(rows, { timeout: 60_000 }).toContain("New  2");
  });

  it("shows what a provider says to a call without a key, and what to do", async () => {
    await press("See what happens without a key", "Record Without a Key");

    await expect.poll(() => bench.terminalText(), { timeout: 60_000 }).toMatch(/failed with exit code/u);
    await expect.poll(() => bench.terminalText()).toContain("Set your own key");
    await bench.screenshots("demo-without-a-key");
  });
});
