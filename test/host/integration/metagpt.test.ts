import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import * as vscode from "vscode";
import type { Session } from "../../../src/editor/session/session.ts";
import { eventually } from "../support/eventually.ts";
import { theSession } from "../support/session.ts";

const FILE = "tests/rsp_cache.json";
const KEY = "You are X#SYSTEM_MSG_END#Write a snake game";
const TEXT = JSON.stringify({ first: "one", [KEY]: "print('snake')", last: "two" }, undefined, 4);

describe("MetaGPT's cache", () => {
  let session: Session;
  before(async () => {
    session = await theSession();
    writeFileSync(uri().fsPath, TEXT);
  });
  after(async () => {
    rmSync(uri().fsPath, { force: true });
    // A file that was created and deleted within one burst of events is never reported.
    await vscode.commands.executeCommand("tapedeck.restartServer");
    await session.setMode("strict");
    await eventually("the switch goes with the file", async () => (await theSwitch()) === undefined);
  });

  const uri = (): vscode.Uri => vscode.Uri.joinPath(session.folder.uri, FILE);
  const cached = { entry: `${FILE}#${createHash("sha256").update(KEY).digest("hex")}` };
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

  it("shows an entry as a readable document, and opens its file at its line", async () => {
    const query = JSON.stringify({ of: cached, part: "all" });
    const address = vscode.Uri.from({ scheme: "tapedeck", path: "/Tapedeck recordings/Write", query });

    const document = await vscode.workspace.openTextDocument(address);
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand("tapedeck.openFile", cached);
    const editor = vscode.window.activeTextEditor;

    assert.match(document.getText(), /You are X[^]*Write a snake game[^]*print\('snake'\)/u);
    assert.match(document.getText(), /rsp_cache\.json:3/u);
    assert.equal(editor?.document.uri.toString(), uri().toString());
    assert.equal(editor?.selection.active.line, 2);
  });

  it("loses an entry by Delete, and has it back by Undo", async () => {
    await vscode.commands.executeCommand("tapedeck.delete", cached);
    const without = readFileSync(uri().fsPath, "utf8");
    await vscode.commands.executeCommand("tapedeck.undo");

    assert.deepEqual(JSON.parse(without), { first: "one", last: "two" });
    assert.equal(readFileSync(uri().fsPath, "utf8"), TEXT);
  });
});
