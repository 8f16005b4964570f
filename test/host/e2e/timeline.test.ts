import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { openWorkbench, type Workbench } from "../support/open-workbench.ts";

const PICTURES = process.env["TEST_PICTURES"] ?? join("test-results", "screenshots");
const FILE = "tests/replies.test.ts";

let bench: Workbench;
beforeAll(async () => {
  bench = await openWorkbench({ pictures: PICTURES });
});

/** The document on one line, because long lines wrap. */
const text = async (): Promise<string> => (await bench.editorText()).replace(/\s+/gu, " ");

describe("the timeline of a test", () => {
  it("opens from the test's lens after a run, with a bar for each of its calls", async () => {
    await bench.finishInTerminal(`npx vitest run ${FILE}`);
    await bench.page.keyboard.press("Control+j");
    await bench.openFile(FILE, 20);
    const lenses = async () => (await bench.lenses()).filter((title) => title === "Timeline");
    await expect.poll(lenses).toHaveLength(2);
    await bench.clickLens("Timeline");

    // Both turns have the same request: their answers distinguish them.
    await expect
      .poll(text)
      .toMatch(/1 Where is my order A-1042\? → look_up_order\(A-1042\).*2 Where is .* → "Here is/u);
    expect(await text()).toMatch(/[█░]/u);
  });

  it("shows the times of the recordings at a click", async () => {
    await bench.clickLens("As Recorded");

    await expect.poll(text).toContain("Times as recorded");
    await expect.poll(() => bench.lenses()).toContain("This Run");
  });

  it("adds the calls of a run as they arrive, and its end", async () => {
    await bench.runCommand("Tapedeck: Show Timeline");
    await expect.poll(text).toContain("Times of this run");
    await bench.finishInTerminal("npm test");
    await bench.page.keyboard.press("Control+j");

    await expect.poll(text).toMatch(/failed.*6 replayed.*2 missing/u);
  });
});
