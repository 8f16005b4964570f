import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import type { Session } from "../../../src/editor/session/session.ts";
import { eventually } from "../support/eventually.ts";
import { addressOf, askAt, theSession, untilReady } from "../support/session.ts";

/** Made up, and of the shape that is looked for. */
const SECRET = `ghp_${"x9Y8z7W6v5U4".repeat(3)}`;

describe("importing recordings of other tools", () => {
  let session: Session;
  let folder: string;
  before(async () => {
    session = await theSession();
    await untilReady(session);
    folder = mkdtempSync(join(tmpdir(), "tapedeck-import-"));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  function aCassette(
    name: string,
    calls: readonly (readonly [prompt: string, reply: unknown])[],
  ): vscode.Uri {
    const lines = calls.map(([prompt, reply]) => {
      const messages = [{ role: "user", content: prompt }];
      return JSON.stringify({
        request: {
          url: "https://api.openai.com/v1/chat/completions",
          method: "POST",
          headers: { "content-type": "application/json" },
          body: { model: "gpt-4o-mini", messages },
        },
        reply: { status: 200, headers: { "content-type": "application/json" }, body: reply },
      });
    });
    const path = join(folder, name);
    writeFileSync(path, `${lines.join("\n")}\n`);
    return vscode.Uri.file(path);
  }

  function aReply(content: string): unknown {
    const choice = { index: 0, message: { role: "assistant", content }, finish_reason: "stop" };
    return {
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1,
      model: "gpt-4o-mini",
      choices: [choice],
    };
  }

  it("reports imported and skipped calls with reasons, and the imported call is replayed", async () => {
    const prompt = `asked with another tool ${Date.now()}`;
    const cassette = aCassette("calls.jsonl", [
      [prompt, aReply("Recorded elsewhere.")],
      ["holds a secret", aReply(`Use ${SECRET}.`)],
    ]);

    const said = await vscode.commands.executeCommand("tapedeck.importRecordings", cassette);
    const again = await vscode.commands.executeCommand("tapedeck.importRecordings", cassette, [cassette]);
    const answered = await askAt(await addressOf(session), prompt);

    assert.match(String(said), /^1 call imported into \.tapedeck from 1 file, 1 skipped\. Skipped: /u);
    assert.match(
      String(said),
      /calls\.jsonl, line 2 was refused: it contains what looks like a GitHub token/u,
    );
    assert.match(
      String(again),
      /^0 calls imported into \.tapedeck from 1 file, 1 already recorded, 1 skipped/u,
    );
    assert.equal(answered.headers.get("x-tapedeck-outcome"), "replayed");
    assert.match(await answered.text(), /Recorded elsewhere\./u);
    const entry = await eventually(
      "told",
      () =>
        session.state.calls.find(({ label, outcome }) => outcome === "replayed" && label.includes(prompt))
          ?.entry,
    );
    assert.ok(entry);
    rmSync(join(session.deck.dir, entry));
  });

  it("reports that a file contains nothing known", async () => {
    const path = join(folder, "notes.yaml");
    writeFileSync(path, "- buy milk\n");

    const said = await vscode.commands.executeCommand("tapedeck.importRecordings", vscode.Uri.file(path));

    assert.match(String(said), /notes\.yaml contains no recordings in a known format/u);
  });
});
