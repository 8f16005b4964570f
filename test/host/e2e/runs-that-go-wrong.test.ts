import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { openWorkbench, type Workbench } from "../support/open-workbench.ts";

const STOP = "Stop Recording or Replaying";

let bench: Workbench;
beforeAll(async () => {
  bench = await openWorkbench({ settings: { "tapedeck.testCommand": ["no-such-runner", "${file}"] } });
  await bench.openView();
  await bench.openFile("tests/classify.test.ts", 7);
});

describe("where a test cannot be run", () => {
  it("says so, with the setting one click away", async () => {
    await expect.poll(() => bench.lenses()).toContain("Replay · 1 recorded");

    await bench.clickLens("Replay · 1 recorded");

    await expect
      .poll(async () => (await bench.notifications()).join("\n"))
      .toContain('no program "no-such-runner" was found');
    await bench.screenshot("cannot-run");
    await bench.pressButton("Open Setting");
    await expect
      .poll(() => bench.page.locator(".settings-editor").innerText())
      .toContain("Tapedeck: Test Command");
  });
});

describe("tests on a Node that is too old for the hooks", () => {
  // In place of such a Node, what the preload tells in it: test/hooks/preload.test.ts shows that it does.
  it("are said to be answered without their tests, with the version and what to do", async () => {
    await bench.runCommand("Notifications: Clear All Notifications");

    await bench.runCommand("Terminal: Create New Terminal");
    await bench.runInTerminal("curl -s -m 2 $TAPEDECK_URL/@tests?runner=vitest\\&age=0\\&node=14.21.3");

    const said = () => bench.notifications().then((all) => all.join("\n"));
    await expect.poll(said).toContain("vitest runs on Node 14.21.3");
    expect(await said()).toContain("Run the tests on Node 18 or later");
    await bench.runCommand("Notifications: Clear All Notifications");
  });
});

describe("a test that never ends and hears no signal", () => {
  const said = join(mkdtempSync(join(tmpdir(), "tape-said-")), "pid");
  beforeAll(async () => {
    const script = `for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, () => {});
      require("fs").writeFileSync(${JSON.stringify(said)}, String(process.pid)); setInterval(() => {}, 1000)`;
    bench.set({ "tapedeck.testCommand": ["node", "-e", script] });
    await bench.openFile("tests/classify.test.ts", 7);
  });

  /** Starts it; gives the file in which Linux tells of its process. */
  const begin = async (): Promise<string> => {
    rmSync(said, { force: true });
    await expect.poll(() => bench.lenses()).toContain("Replay file · 2 recorded");
    await bench.clickLens("Replay file");
    await expect.poll(() => bench.lenses()).toContain("Replaying · stop");
    await expect.poll(() => existsSync(said) && readFileSync(said, "utf8")).toMatch(/\d/u);
    return `/proc/${readFileSync(said, "utf8")}/stat`;
  };
  const isGone = (stat: string): boolean => !existsSync(stat) || /\) [ZX] /u.test(readFileSync(stat, "utf8"));

  it("can be stopped from wherever tests are run, and from nowhere before", async () => {
    const before = await bench.lineNumberMenu(7);
    await bench.page.keyboard.press("Escape");
    await begin();

    const menus = [await bench.lineNumberMenu(7)];
    await bench.page.keyboard.press("Escape");
    await bench.openFile("tests/classify.test.ts", 7);
    menus.push(await bench.editorMenu());
    await bench.page.keyboard.press("Escape");
    menus.push(await bench.offeredCommands(`Tapedeck: ${STOP}`));
    menus.push(await bench.rowMenu("tests/classify.test.ts"));
    expect(menus.at(-1)).toEqual(expect.arrayContaining(["Record Tests in File", "Replay Tests in File"]));
    await bench.screenshot("stop-menu");
    await bench.chooseFromMenu(STOP);

    expect(before).not.toContain(STOP);
    expect(menus.map((menu) => menu.filter((entry) => entry.includes(STOP)))).toEqual([
      [STOP],
      [STOP],
      [`Tapedeck: ${STOP}`],
      [STOP],
    ]);
    await expect.poll(() => bench.lenses()).toContain("Replay file · 2 recorded");
  });

  it("is stopped by the button of the view, and all that waits with it", async () => {
    const stat = await begin();

    await bench.pressViewButton(STOP);

    await expect.poll(() => bench.terminalText()).toContain("The tests were stopped");
    await expect.poll(() => isGone(stat)).toBe(true);
    await expect.poll(() => bench.lenses()).toContain("Replay file · 2 recorded");
  });

  it("does not outlive the window", async () => {
    const stat = await begin();

    await bench.close();

    await expect.poll(() => isGone(stat)).toBe(true);
  });
});
