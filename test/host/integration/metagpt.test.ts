import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import * as vscode from "vscode";
import type { Session } from "../../../src/editor/session/session.ts";
import { eventually } from "../support/eventually.ts";
import { theSession } from "../support/session.ts";

const FILE = "tests/rsp_cache.json";

describe("MetaGPT's cache", () => {
  let session: Session;
  before(async () => {
    session = await theSession();
    writeFileSync(uri().fsPath, "{}");
  });
  after(async () => {
    rmSync(uri().fsPath, { force: true });
    // A file that was created and deleted within one burst of events is never reported.
    await vscode.commands.executeCommand("tapedeck.restartServer");
    await session.setMode("strict");
    await eventually("the switch goes with the file", async () => (await theSwitch()) === undefined);
  });

  const uri = (): vscode.Uri => vscode.Uri.joinPath(session.folder.uri, FILE);
  const theSwitch = async (): Promise<string | undefined> =>
    (await session.connection.environment()).find(({ name }) => name === "ALLOW_OPENAI_API_CALL")?.value;

  it("sets MetaGPT's own switch by the mode, as soon as the file exists", async () => {
    await eventually("the file is found", async () => (await theSwitch()) === "0");

    await session.setMode("record");
    const recording = await theSwitch();
    await session.setMode("strict");

    assert.equal(recording, "1");
    assert.equal(await theSwitch(), "0");
    assert.ok(session.notes.some((note) => note.includes("ALLOW_OPENAI_API_CALL=0")));
  });
});
