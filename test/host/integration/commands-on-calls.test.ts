import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import type { Session } from "../../../src/editor/session/session.ts";
import { eventually } from "../support/eventually.ts";
import { aMissingCall, pickIn, runCommand } from "../support/commands.ts";
import { theSession, untilReady } from "../support/session.ts";

/** Runs the commands that ask further questions by their ids, as in commands.test.ts. Commands on selected rows are in test/host/e2e. */
describe("commands on calls by their ids", () => {
  let session: Session;
  before(async () => {
    session = await theSession();
    await untilReady(session);
  });
  afterEach(() => runCommand("workbench.action.closeAllEditors"));

  const tabs = (): readonly string[] =>
    vscode.window.tabGroups.all.flatMap((group) => group.tabs.map(({ label }) => label));

  const enter = (id: string, args: readonly unknown[], done: () => boolean) =>
    pickIn(id, args, { done, state: () => `the tabs are ${tabs().join(", ")}` });

  async function entries(): Promise<readonly string[]> {
    return (await session.deck.store.list()).map(({ entry }) => entry);
  }

  it("Compare Recordings… shows two side by side", async () => {
    const [first = "", second = ""] = await entries();

    await runCommand("compareRecordings", [{ entry: first }, { entry: second }]);

    await eventually("a difference", () => tabs().some((label) => label.includes("↔")));
  });

  it("Delete takes away several recordings, and Undo brings it back", async () => {
    const [first = "", second = "", third = ""] = await entries();
    const areThere = (): readonly boolean[] =>
      [first, second, third].map((entry) => existsSync(join(session.deck.dir, entry)));

    await runCommand("delete", [{ entry: first }, { entry: second }]);
    assert.deepEqual(areThere(), [false, false, true]);
    await runCommand("undo");

    assert.deepEqual(areThere(), [true, true, true]);
  });

  it("Delete on a row that disappeared meanwhile deletes nothing, and asks nothing", async () => {
    const before = await entries();

    await runCommand("delete", undefined, undefined);

    assert.deepEqual(await entries(), before);
  });

  it("Delete on a row without calls leaves the recording of the open document alone", async () => {
    const before = await entries();
    await runCommand("openCall", { entry: before[0] });
    await eventually("its document", () => tabs().length === 1);

    await runCommand("delete", { subject: { kind: "notice", command: "" }, children: async () => [] });

    assert.deepEqual(await entries(), before);
  });

  it("Fix… does what is picked of them", async () => {
    const { id } = await aMissingCall(session, "Where is my order A-1042, with more actions?");

    await enter("fix", [{ finding: id }], () => tabs().some((label) => label.includes("↔")));
  });

  it("Show Timeline of a test opens it in a tab of that name", async () => {
    await runCommand("showTimeline", {
      test: { file: "tests/replies.test.ts", name: ["replies", "looks the order up before it answers"] },
    });

    await eventually("its tab", () =>
      tabs().some((label) => label.startsWith("Timeline: looks the order up")),
    );
  });
});
