import assert from "node:assert/strict";
import { join } from "node:path";
import * as vscode from "vscode";
import type { Session } from "../../../src/editor/session/session.ts";
import { mochaHooks } from "../../../src/editor/language-models/current-test.ts";
import { createTapedModels } from "../../../src/editor/language-models/taped-models.ts";
import { connectToModels, PENDING, TICKET } from "../../../src/editor/language-models/real-models.ts";
import { missingIn } from "../support/commands.ts";
import { eventually } from "../support/eventually.ts";
import { theSession, untilReady } from "../support/session.ts";

/** A model that no provider of this window has: no account is available here. */
const GONE = {
  id: "stand-in/gone",
  name: "Gone",
  family: "gone",
  version: "1",
  maxInputTokens: 1,
  maxOutputTokens: 1,
  capabilities: {},
};

describe("calls of vscode.lm", () => {
  let session: Session;
  before(async () => {
    session = await theSession();
    await untilReady(session);
  });

  async function ask(prompt: string): Promise<void> {
    const folder = { path: session.folder.uri.fsPath, deck: session.deck, run: session.runs.folder };
    const models = createTapedModels(async () => folder);
    const messages = [vscode.LanguageModelChatMessage.User(prompt)];
    const options = { toolMode: vscode.LanguageModelChatToolMode.Auto };
    const token = new vscode.CancellationTokenSource().token;
    await models.provideLanguageModelChatResponse(
      GONE,
      messages.map(({ role, content, name }) => ({ role, content, name })),
      options,
      { report: () => undefined },
      token,
    );
  }

  it("miss in strict mode: the error names the call, and the call belongs to its test", async () => {
    const prompt = `never recorded with vscode.lm ${Date.now()}`;
    const file = join(session.folder.uri.fsPath, "tests", "lm.test.ts");
    mochaHooks.beforeEach.call({ currentTest: { file, titlePath: () => ["lm", "asks"] } });

    await assert.rejects(ask(prompt), (error: unknown) => {
      assert.ok(error instanceof vscode.LanguageModelError);
      assert.match(error.message, /No recording for this stand-in\/gone call/);
      return true;
    });
    mochaHooks.afterEach();

    const missing = await eventually("listed as missing", () =>
      missingIn(session).find(({ miss }) => miss.label.includes("never recorded with vscode.lm")),
    );
    assert.deepEqual([missing.test?.file, missing.test?.name], ["tests/lm.test.ts", ["lm", "asks"]]);
    session.findings.dismiss([missing]);
  });

  it("are answered with a documented error if the window does not have the model", async () => {
    PENDING.set("one", () => Promise.reject(new Error("no model is asked")));

    const { status, body } = await connectToModels({
      url: "https://vscode-lm.invalid/v1/chat/completions",
      method: "POST",
      headers: [[TICKET, "one"]],
      body: Buffer.from(JSON.stringify({ model: GONE.id })),
      signal: new AbortController().signal,
      mayBePrivate: false,
    });
    PENDING.clear();

    const pieces: Uint8Array[] = [];
    for await (const piece of body) pieces.push(piece);
    assert.equal(status, 404);
    const { error } = JSON.parse(Buffer.concat(pieces).toString()) as {
      error: { code: string; message: string };
    };
    assert.deepEqual(
      [error.code, error.message],
      ["NotFound", "This window has no language model stand-in/gone."],
    );
  });
});
