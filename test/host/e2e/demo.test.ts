import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { demoGuide, rootDir } from "../../../scripts/host/paths.mjs";
import { openWorkbench, type Workbench } from "../support/open-workbench.ts";

const PICTURES = process.env["TEST_PICTURES"] ?? join("test-results", "screenshots");

let bench: Workbench;
beforeAll(async () => {
  bench = await openWorkbench({ beside: [demoGuide], pictures: PICTURES, waits: false });
});

const rows = () => bench.treeRows().then((lines) => lines.join("\n"));
const step = (title: string) =>
  bench.page.locator(".getting-started-step").filter({ hasText: title }).first();
const press = async (title: string, button: string) => {
  await step(title).locator("h3").first().click();
  await step(title).getByRole("button", { name: button }).click();
};

describe("the demo's first minute", () => {
  it("begins with the view and steps to press alone, and a step opens a test with Record above it", async () => {
    await step("Run the tests").waitFor();
    await bench.screenshots("demo-first-minute");

    await expect.poll(rows).toContain("Recordings");
    expect(await bench.page.locator(".tab").count()).toBe(1);
    await press("Record it", "Open the Test");
    const lens = bench.page.locator(".codelens-decoration a").getByText("Record", { exact: true });
    await expect.poll(() => lens.count()).toBeGreaterThan(0);
  });

  it("ticks its first step also when the tests are run by hand", async () => {
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

  it("shows a provider's reply to a call without a key, and a hint", async () => {
    await press("See what happens without a key", "Record Without a Key");

    await expect.poll(() => bench.terminalText(), { timeout: 60_000 }).toMatch(/failed with exit code/u);
    await expect.poll(() => bench.terminalText()).toContain("Set your own key");
    await bench.screenshots("demo-without-a-key");
  });
});

it("the demo prints its address, answers there, and leaves nothing behind", async () => {
  const script = join(rootDir, "scripts", "demo.mjs");

  const { stdout } = await promisify(execFile)(process.execPath, [script, "--check"]);

  expect(stdout).toMatch(/^ {2}http:\/\/127\.0\.0\.1:\d+\/\?tkn=/m);
  expect(stdout).toContain("The workbench answered with 200.");
  const copy = /The workspace is a copy, (\S+):/.exec(stdout)?.[1];
  expect(copy).toBeDefined();
  expect(existsSync(copy ?? "")).toBe(false);
});
