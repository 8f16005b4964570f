import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { Workbench } from "../support/open-workbench.ts";

const FILE = "tests/chat.test.ts";
type Way = readonly [how: string, temperature: number, ignore: (bench: Workbench) => Promise<void>];

const ways: readonly Way[] = [
  [
    "the page of the missing call",
    0.7,
    async (bench) => {
      await bench.openFile(FILE, 4);
      await expect.poll(() => bench.lenses()).toContain("1 missing");
      await bench.clickLens("1 missing");
      await expect.poll(() => bench.lenses()).toContain("More…");
      await bench.clickLens("More…");
      await bench.pick("Ignore this difference…");
    },
  ],
  [
    "the quick fix on the test's line",
    0.9,
    async (bench) => {
      await bench.openFile(FILE, 4);
      await expect.poll(() => bench.squiggles()).toBe(1);
      expect(await bench.quickFixes()).toContain("Ignore this difference…");
      await bench.chooseFix("Ignore this difference…");
    },
  ],
];

/** What happens in a window on a workspace to browse, in strict and with its view open. One of its recordings is broken, which the badge counts. */
export function differencesAreIgnored(theBench: () => Workbench): void {
  it("the reason is shown if rules cannot be written", async () => {
    const bench = theBench();
    const rulesFile = join(bench.folder, "tapedeck.jsonc");
    mkdirSync(rulesFile);
    await bench.runInTerminal('node ask.mjs "Say goodbye in one word" 0.7');
    await expect.poll(() => bench.badge()).toBe("2");

    await bench.rowMenu("Missing");
    await bench.chooseFromMenu("Ignore Differences of Missing Calls…");
    await bench.pressButton("Add Rule");

    await expect
      .poll(() => bench.notifications().then(String))
      .toContain("tapedeck.jsonc could not be changed: EISDIR");
    rmSync(rulesFile, { recursive: true });
  });

  describe.each(ways)("from %s", (...way) => {
    isIgnored(way, theBench);
  });
  describe("from the group of missing calls", () => {
    areAllIgnored(theBench);
  });
}

function areAllIgnored(theBench: () => Workbench): void {
  it("what all of them have otherwise becomes rules at once, after what they do was shown", async () => {
    const bench = theBench();
    const dialog = (): Promise<string> => bench.page.locator(".monaco-dialog-box").innerText();
    const rulesFile = join(bench.folder, "tapedeck.jsonc");
    rmSync(rulesFile, { force: true });
    for (const [temperature, test] of [
      ["0.75", "one"],
      ["0.85", "other"],
    ])
      await bench.runInTerminal(`node ask.mjs "Say goodbye in one word" ${temperature} "chat > ${test}"`);
    await expect.poll(() => bench.badge()).toBe("3");

    expect(await bench.rowMenu("Missing")).toContain("Ignore Differences of Missing Calls…");
    await bench.chooseFromMenu("Ignore Differences of Missing Calls…");

    await expect.poll(dialog).toContain("Matches 2 of 2 missing calls.");
    await bench.screenshots("ignore-difference-all-asked");
    await bench.pressButton("Add Rule");
    await expect.poll(() => readFileSync(rulesFile, "utf8")).toMatch(/"ignore": "\/temperature"/u);
    await expect.poll(() => bench.badge()).toBe("1");
  });
}

function isIgnored([how, temperature, ignore]: Way, theBench: () => Workbench): void {
  let bench: Workbench;
  const dialog = (): Promise<string> => bench.page.locator(".monaco-dialog-box").innerText();
  const rulesFile = (): string => join(bench.folder, "tapedeck.jsonc");
  const ask = `node ask.mjs "Say goodbye in one word" ${temperature}`;
  const said = async (): Promise<string> => (await bench.terminalText()).split(ask).at(-1) ?? "";
  const picture = how.replaceAll(/\W+/gu, "-");
  beforeAll(() => {
    bench = theBench();
    rmSync(rulesFile(), { force: true });
  });

  it("a difference that does not matter becomes a rule, after what it touches was shown", async () => {
    await bench.runInTerminal(ask);
    await expect.poll(said).toMatch(/404 miss/u);
    await expect.poll(() => bench.badge()).toBe("2");

    await ignore(bench);
    await expect.poll(dialog).toContain("Add this rule to tapedeck.jsonc?");
    expect(await dialog()).toContain("/temperature");
    await bench.screenshots(`ignore-difference-${picture}-asked`);
    expect(existsSync(rulesFile())).toBe(false);
    await bench.pressButton("Add Rule");

    await expect.poll(() => bench.editorTitle()).toContain("tapedeck.jsonc");
    await expect.poll(() => readFileSync(rulesFile(), "utf8")).toMatch(/"ignore": "\/temperature"/u);
  });

  it("and the call is answered: no mark is left, and the same call replays", async () => {
    await expect.poll(() => bench.badge()).toBe("1");
    await bench.screenshots(`ignore-difference-${picture}-done`);
    await bench.openFile(FILE, 4);
    await expect.poll(() => bench.squiggles()).toBe(0);

    await bench.runInTerminal(ask);

    await expect.poll(said).toMatch(/200 replayed Bye!/u);
    expect(bench.upstream.requests).toBe(0);
  });
}
