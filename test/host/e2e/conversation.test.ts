import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { filesBelow } from "../../support/files-below.ts";
import { openWorkbench, type Workbench } from "../support/open-workbench.ts";
import { unfold } from "./unfold.ts";

const TEST = "looks the order up";

let bench: Workbench;
beforeAll(async () => {
  bench = await openWorkbench();
  await bench.openView();
});

const rows = () => bench.treeRows().then((lines) => lines.map((line) => line.trim()));

describe("a test that asks several times", () => {
  it("has its calls as turns below it, named by what each answers", async () => {
    await expect.poll(rows).toContainEqual(expect.stringContaining("tests/replies.test.ts"));
    await unfold(bench, "tests/replies.test.ts", TEST);
    await unfold(bench, TEST, "look_up_order");

    await expect
      .poll(rows)
      .toContainEqual(expect.stringMatching(/^1 look_up_order\(A-1042\) {2}"Where is my/u));
    await expect.poll(rows).toContainEqual(expect.stringMatching(/^2 "Here is what I found/u));
    await expect
      .poll(() => bench.spokenRows())
      .toContainEqual(
        expect.stringMatching(/^turn 1, asked "Where is my order A-1042\?", answered look_up_order/u),
      );
  });

  it("is read as one conversation from its row, and each answer leads to its recording", async () => {
    await bench.pressRowButton(TEST, "Show Test as Conversation");

    await expect.poll(() => bench.editorText()).toMatch(/1 assistant ─+ tool_calls[^]*look_up_order\(/u);
    await expect.poll(() => bench.editorText()).toMatch(/→ \{"status":"shipped"[^]*2 assistant ─/u);
    const text = await bench.editorText();
    expect(text.split("Where is my order A-1042?")).toHaveLength(2);
    await expect.poll(() => bench.lenses()).toEqual(expect.arrayContaining(["Replay", "Record"]));
    await bench.page.mouse.move(900, 700);
    await bench.screenshots("conversation");

    // Its words are drawn anew while the key is held.
    const link = bench.page.locator(".view-line .detected-link", { hasText: "2 assistant" });
    const { x, y } = (await link.boundingBox()) ?? { x: 0, y: 0 };
    await bench.page.keyboard.down("ControlOrMeta");
    await bench.page.mouse.move(x + 20, y + 8, { steps: 5 });
    await bench.page.locator(".detected-link-active").waitFor();
    await bench.page.mouse.click(x + 20, y + 8);
    await bench.page.keyboard.up("ControlOrMeta");
    await expect.poll(() => bench.editorText()).toContain("made by");
  });

  it("is read from one of its calls, too", async () => {
    await bench.clickLens("Show Whole Test");

    await expect.poll(() => bench.editorText()).toContain("2 calls");
  });
});

it("loses all recordings of a file that were picked after Delete was pressed on its row, until Undo", async () => {
  const calls = join(bench.folder, ".tapedeck", "calls");
  const recordings = () => filesBelow(calls).filter((name) => name.endsWith(".json"));
  const before = recordings();
  await bench.clickRow("tests/replies.test.ts");
  await bench.page.keyboard.press("Delete");
  await expect.poll(() => bench.quickPick().then((all) => all.length)).toBeGreaterThan(1);
  expect(recordings()).toEqual(before);
  await bench.page.keyboard.press("Enter");
  await expect.poll(() => bench.notifications().then(String)).toMatch(/Deleted \d+ recordings\./u);
  await expect.poll(() => recordings().length).toBeLessThan(before.length - 1);

  await bench.pressButton("Undo");

  await expect.poll(recordings).toEqual(before);
});
