import assert from "node:assert/strict";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import type { Session } from "../../../src/editor/session/session.ts";
import { eventually } from "../support/eventually.ts";
import { theSession } from "../support/session.ts";

const CLASSIFY = "tests/classify.test.ts";

describe("what is used", () => {
  let session: Session;
  before(async () => {
    session = await theSession();
  });

  const uriOf = (file: string): vscode.Uri => vscode.Uri.joinPath(session.folder.uri, file);
  const fileOf = (entry: string): vscode.Uri => vscode.Uri.file(join(session.deck.dir, entry));
  const codesOf = (uri: vscode.Uri): string[] =>
    vscode.languages.getDiagnostics(uri).map(({ code }) => String(code));

  const anEntry = async (): Promise<string> => {
    const [first] = await session.deck.store.list();
    assert.ok(first, "the sample workspace has recordings");
    return first.entry;
  };

  it("the check finds what the command line finds, until a copy is deleted", async () => {
    const entry = await anEntry();
    const copy = entry.replace(/(?:\.\d+)?\.json$/u, ".2.json"); // the take after it
    cpSync(join(session.deck.dir, entry), join(session.deck.dir, copy));

    void vscode.commands.executeCommand("tapedeck.checkRecordings");
    await eventually("the copy is found", () => codesOf(fileOf(copy)).includes("same-file"));
    rmSync(join(session.deck.dir, copy));

    await eventually("the problem goes with it", () => codesOf(fileOf(copy)).length === 0);
  });

  it("a passed test names the recordings that it uses", async () => {
    const test = { file: CLASSIFY, name: ["classify", "sends a late parcel to shipping"] };
    const passed = await vscode.commands.executeCommand<boolean>("tapedeck.replayTest", {
      uri: uriOf(CLASSIFY).toString(),
      test: { path: test.name, line: 10 },
    });

    assert.equal(passed, true);
    assert.equal(session.state.usage.entriesOf(test).length, 1);
  });

  after(() =>
    // The window may still be writing what the last run used.
    rmSync(join(session.deck.dir, ".local"), { recursive: true, force: true, maxRetries: 10 }),
  );
});
