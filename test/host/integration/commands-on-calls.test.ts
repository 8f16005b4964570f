import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import type { MissingCall } from "../../../src/editor/session/missing-calls-model.ts";
import type { Session } from "../../../src/editor/session/session.ts";
import { eventually } from "../support/eventually.ts";
import { addressOf, askAt, theSession, untilReady } from "../support/session.ts";

/** By their ids, as in commands.test.ts: those that ask on. What is done to selected rows is in test/host/e2e. */
describe("commands on calls by their ids", () => {
  let session: Session;
  before(async () => {
    session = await theSession();
    await untilReady(session);
  });
  afterEach(() => run("workbench.action.closeAllEditors"));

  const run = <T>(id: string, ...args: unknown[]): Thenable<T> =>
    vscode.commands.executeCommand<T>(id.includes(".") ? id : `tapedeck.${id}`, ...args);
  const tabs = (): readonly string[] =>
    vscode.window.tabGroups.all.flatMap((group) => group.tabs.map(({ label }) => label));
  const shown = (): string => vscode.window.activeTextEditor?.document.getText() ?? "";

  /** Runs a command and presses Enter in each of its lists until it did what it does. */
  async function enter(id: string, args: readonly unknown[], done: () => boolean) {
    let open: Thenable<unknown> | undefined;
    await eventually(
      () => `${id} did what it does; the tabs are ${tabs().join(", ")}`,
      async () => {
        if (done()) return true;
        open ??= run(id, ...args).then(() => (open = undefined));
        await run("workbench.action.acceptSelectedQuickOpenItem");
        return false;
      },
    );
    await open;
  }

  async function entries(): Promise<readonly string[]> {
    return (await session.deck.store.list()).map(({ entry }) => entry);
  }

  async function aMissingCall(prompt: string): Promise<MissingCall> {
    await askAt(await addressOf(session), prompt);
    return eventually("missed", () => session.state.missing.find(({ miss }) => miss.label.includes(prompt)));
  }

  it("Compare Recordings… shows two side by side", async () => {
    const [first = "", second = ""] = await entries();

    await run("compareRecordings", [{ entry: first }, { entry: second }]);

    await eventually("a difference", () => tabs().some((label) => label.includes("↔")));
  });

  it("Delete Recordings… takes away what is picked of a group, and Undo brings it back", async () => {
    const [first = "", second = "", third = ""] = await entries();
    const areThere = (): readonly boolean[] =>
      [first, second, third].map((entry) => existsSync(join(session.deck.dir, entry)));

    await enter("deleteGroup", [[{ entry: first }, { entry: second }]], () => !areThere()[1]);
    assert.deepEqual(areThere(), [false, false, true]);
    await run("undo");

    assert.deepEqual(areThere(), [true, true, true]);
  });

  it("Take a Mock's Reply… opens the reply that is picked, to be written on", async () => {
    const { id } = await aMissingCall("answered by a mock, by its id");

    await enter("takeMockReply", [{ missing: id }], () => shown().includes("answered by a mock, by its id"));
  });

  it("More Actions… does what is picked of them", async () => {
    const { id } = await aMissingCall("Where is my order A-1042, with more actions?");

    await enter("moreActions", [{ missing: id }], () => tabs().some((label) => label.includes("↔")));
  });

  it("Show Timeline of Test opens it in a tab of that name", async () => {
    await run("showTimelineOfTest", {
      test: { file: "tests/replies.test.ts", name: ["replies", "looks the order up before it answers"] },
    });

    await eventually("its tab", () =>
      tabs().some((label) => label.startsWith("Timeline: looks the order up")),
    );
  });
});
