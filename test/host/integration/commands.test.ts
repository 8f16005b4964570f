import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import type { RecordingAddress } from "../../../src/core/cassette/recording.ts";
import type { MissingCall } from "../../../src/editor/findings/findings-model.ts";
import type { Session } from "../../../src/editor/session/session.ts";
import { eventually } from "../support/eventually.ts";
import { itLong } from "../support/long.ts";
import { aMissingCall, pickIn, runCommand, missingIn } from "../support/commands.ts";
import { theSession, untilReady } from "../support/session.ts";

const CLASSIFY = "tests/classify.test.ts";
const BILLING = { file: CLASSIFY, name: ["classify", "sends a double charge to billing"] };
const ORDER_ENTRY = "calls/openai/1f/1f7e9d5f3baa849a071cf6bfa4e6ab1654f1c924d527a1417c2b6ef77b4f2f5b.json";
const SHIPPING = { file: CLASSIFY, name: ["classify", "sends a late parcel to shipping"] };
const ACCOUNT = { file: CLASSIFY, name: ["classify", "sends a lost password to account"] };

/** By their ids: a person may have bound any of them to a key. Others are pressed by their titles in test/host/e2e. */
describe("commands by their ids", () => {
  let session: Session;
  before(async () => {
    session = await theSession();
    await untilReady(session);
  });
  afterEach(() => runCommand("workbench.action.closeAllEditors"));

  const uriOf = (file: string): vscode.Uri => vscode.Uri.joinPath(session.folder.uri, file);
  const fileOf = (entry: string): string => join(session.deck.dir, entry);
  const activeTab = (): vscode.Tab | undefined => vscode.window.tabGroups.activeTabGroup.activeTab;

  const picked = (id: string, args: readonly unknown[], done: () => boolean | Promise<boolean>) =>
    pickIn(id, args, { done, state: () => `new are ${[...session.state.candidates.keys()].join(", ")}` });

  async function recordings(): Promise<readonly RecordingAddress[]> {
    return session.deck.store.list();
  }

  async function aRecording(): Promise<RecordingAddress> {
    const [first] = await recordings();
    assert.ok(first, "the sample workspace has recordings");
    return first;
  }

  /** Runs the test whose recording is taken away first, so that its call is missing. */
  async function missACallOfATest(): Promise<MissingCall> {
    for (const entry of session.state.usage.entriesOf(ACCOUNT)) rmSync(fileOf(entry), { force: true });
    await runCommand("replayTest", { test: ACCOUNT });
    return eventually("its call is missing", () =>
      missingIn(session).find(({ test }) => test?.name.at(-1) === ACCOUNT.name.at(-1)),
    );
  }

  it("Start New Run counts from nothing", async () => {
    await aMissingCall(session, "counted in a run before");
    assert.ok((session.state.counts.miss ?? 0) > 0);

    await runCommand("newRun");

    assert.equal(session.state.counts.miss, undefined);
  });

  it("Turn Off and Turn On stop and start answering", async () => {
    await runCommand("turnOff");
    assert.equal(session.lifecycle.status.kind, "off");

    await runCommand("turnOn");

    assert.equal(session.lifecycle.status.kind, "ready");
  });

  it("Copy… gives a key and a curl command: they give to the clipboard what they say, and no key of the user's", async () => {
    const { entry, key } = await aRecording();

    await runCommand("copy", { entry }, { as: "key" });
    const copiedKey = await vscode.env.clipboard.readText();
    await runCommand("copy", { entry }, { as: "curl" });
    const curl = await vscode.env.clipboard.readText();

    assert.equal(copiedKey, key);
    assert.match(curl, /^curl [^]*"(?:x-api-key:|Authorization: Bearer) \$\w+_API_KEY"/u);
  });

  it("Copy… gives the text of the reply to the clipboard", async () => {
    const { entry } = await aRecording();

    await runCommand("copy", { entry }, { as: "reply" });

    const reply = await vscode.env.clipboard.readText();
    assert.ok(reply.length > 20, "the sample's replies are sentences");
    assert.ok(readFileSync(fileOf(entry), "utf8").includes(JSON.stringify(reply).slice(1, -1)));
  });

  it("Copy Environment gives the variables for the shell that is picked", async () => {
    await picked("copyEnvironment", [], async () =>
      /^export TAPEDECK_URL=/mu.test(await vscode.env.clipboard.readText()),
    );
  });

  it("Show Test as Conversation opens all calls of a test, at its line, by its name and from one of them", async () => {
    const file = "tests/replies.test.ts";
    const test = { file, name: ["replies", "looks the order up before it answers"] };
    const shown = () =>
      eventually("a document is shown", () => vscode.window.activeTextEditor?.document.getText());
    await runCommand("readTest", { uri: uriOf(file), lineNumber: 21 });
    const atLine = await shown();
    await runCommand("workbench.action.closeAllEditors");
    await runCommand("readTest", { test });
    const byName = await shown();
    await runCommand("workbench.action.closeAllEditors");
    await runCommand("readTest", { entry: ORDER_ENTRY });

    assert.match(atLine, /2 calls[^]*1 assistant[^]*2 assistant/u);
    assert.equal(byName, atLine);
    assert.equal(await shown(), atLine);
  });

  it("Show Log shows the log", async () => {
    await runCommand("showLog");

    await eventually("it is in sight", () =>
      vscode.window.visibleTextEditors.some(({ document }) => document.uri.scheme === "output"),
    );
  });

  it("Dismiss takes a missing call out of the list, and Undo brings it back", async () => {
    const { id } = await aMissingCall(session, "dismissed by its id");
    const isMissing = (): boolean => missingIn(session).some((one) => one.id === id);
    await runCommand("dismiss", { finding: id });
    assert.equal(isMissing(), false);
    await runCommand("undo");
    assert.equal(isMissing(), true);

    await runCommand("dismiss", { finding: id });

    assert.equal(
      missingIn(session).some((one) => one.id === id),
      false,
    );
  });

  it("Compare with the Nearest shows the two requests side by side", async () => {
    const { id } = await aMissingCall(session, "Where is my order A-1042, compared by its id?");

    await runCommand("compareRecordings", { finding: id });

    const tab = await eventually(
      "a difference",
      () => activeTab()?.input instanceof vscode.TabInputTextDiff && activeTab(),
    );
    assert.equal(tab.label, '"Where is my order A-104…" ↔ missing "Where is my order A-104…"');
  });

  it("Accept the Nearest as It Is answers the call with the nearest recording's reply", async () => {
    const call = await aMissingCall(session, "Where is my order A-1042, accepted by its id?");

    await runCommand("acceptNearest", { finding: call.id });

    const made = [...session.state.candidates.keys()].find((entry) =>
      entry.includes(call.miss.key.slice(-64)),
    );
    assert.ok(made && existsSync(fileOf(made)), "it has a recording");
    await session.recordings.discard([made]);
  });

  it("Discard New Recordings takes away what is picked, and Undo brings it back", async () => {
    const { entry } = await aRecording();
    await session.recordings.propose({ entry, recordedAt: Date.now() });

    await picked("discard", [], () => !existsSync(fileOf(entry)));
    await runCommand("undo");

    assert.ok(existsSync(fileOf(entry)));
    await session.recordings.accept([...session.state.candidates.keys()]);
  });

  // Lenses of test/host/e2e/red-to-green.test.ts record the call, and its test.
  it("Record Everything Missing records what a test misses", async () => {
    const { miss } = await missACallOfATest();

    await runCommand("recordMissing");

    const last = session.state.calls.at(-1);
    assert.deepEqual([last?.outcome, last?.key], ["recorded", miss.key]);
  });

  it("Replay Test on two tests shows the calls of both in the status bar item", async () => {
    await runCommand("replayTest", { test: BILLING }, { test: SHIPPING });

    assert.equal(session.flash, "2 replayed");
  });

  itLong("Record Tests in File runs all of them, and records what one of them misses", async () => {
    const { miss } = await missACallOfATest();

    const passed = await runCommand<boolean>("recordFile", uriOf(CLASSIFY));

    assert.equal(passed, true);
    assert.ok((await recordings()).some(({ entry }) => entry.includes(miss.key.slice(-64))));
  });

  it("Record Call on a recording asks the provider again, and the recording is a new one", async () => {
    const [entry = ""] = session.state.usage.entriesOf(ACCOUNT);

    await runCommand("recordCall", { entry });

    assert.equal(session.state.calls.at(-1)?.outcome, "recorded");
    assert.ok(session.state.candidates.has(entry));
  });

  itLong(
    "Delete Unused Recordings deletes recordings that a test skipped, and Undo restores them",
    async () => {
      const [entry = ""] = await usedBy(BILLING);
      const source = uriOf("src/ticket.ts").fsPath;
      const before = readFileSync(source, "utf8");
      writeFileSync(source, before.replace("twice", "thrice"));
      await runCommand("replayTest", { test: BILLING });
      writeFileSync(source, before);
      await eventually("it is stale", () => session.state.usage.isStale(entry));

      await picked("deleteUnused", [], () => !existsSync(fileOf(entry)));
      await runCommand("undo");

      assert.ok(existsSync(fileOf(entry)));
    },
  );

  async function usedBy(test: typeof BILLING): Promise<readonly string[]> {
    assert.equal(await runCommand("replayTest", { test }), true);
    return session.state.usage.entriesOf(test);
  }
});
