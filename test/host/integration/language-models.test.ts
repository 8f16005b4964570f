import assert from "node:assert/strict";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import * as vscode from "vscode";
import { openDeck, type Deck } from "../../../src/deck/deck.ts";
import type { Session } from "../../../src/editor/session/session.ts";
import { mochaHooks } from "../../../src/editor/language-models/current-test.ts";
import { newerVscode } from "../../../src/editor/language-models/newer-vscode.ts";
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

  /** Answers calls of the stand-in model in one mode, with recordings in a folder of their own. */
  async function tape(mode: "record" | "strict", dir: string) {
    const deck = openDeck({
      dir,
      inProcess: { address: "https://vscode-lm.invalid", connect: connectToModels },
    });
    const folder = { path: session.folder.uri.fsPath, deck, run: deck.createRun(mode) };
    const models = createTapedModels(async () => folder);
    const parrot = { ...GONE, id: "stand-in/parrot-1" };
    return {
      deck,
      async ask(content: readonly unknown[], token = new vscode.CancellationTokenSource().token) {
        const parts: unknown[] = [];
        const role = vscode.LanguageModelChatMessageRole.User;
        await models.provideLanguageModelChatResponse(
          parrot,
          [{ role, content, name: undefined }],
          { toolMode: vscode.LanguageModelChatToolMode.Auto },
          { report: (part) => void parts.push(part) },
          token,
        );
        return parts;
      },
    };
  }

  /** A project that records errors. */
  async function aProjectFolder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), "tapedeck-models-"));
    await writeFile(join(folder, "tapedeck.jsonc"), '{ "record": { "errors": true } }');
    return join(folder, ".tapedeck");
  }

  const statusesIn = async ({ store }: Deck): Promise<readonly number[]> =>
    Promise.all((await store.list()).map(async ({ entry }) => (await store.read(entry)).reply.status));

  const said = (text: string) => [new vscode.LanguageModelTextPart(text)];

  it("replay thinking with its id and metadata, data, and pictures as they were recorded", async () => {
    const dir = await aProjectFolder();
    const prompts = ["Think first", "Draw a dot", "Give me data"];
    const recording = await tape("record", dir);
    const recorded = [];
    for (const prompt of prompts) recorded.push(await recording.ask(said(prompt)));
    await recording.deck.close();
    const replaying = await tape("strict", dir);
    const replayed = [];
    for (const prompt of prompts) replayed.push(await replaying.ask(said(prompt)));
    const [thinking = [], picture = [], data = []] = replayed;
    await replaying.deck.close();

    assert.deepEqual(replayed, recorded);
    const { LanguageModelThinkingPart: Thinking, LanguageModelDataPart: Data } = newerVscode;
    assert.ok(Thinking && Data);
    assert.deepEqual(thinking, [
      new Thinking("Six times seven. ", "thought-1", { signature: "c2lnbmVk" }),
      new Thinking("", "thought-2", { redacted: "aGlkZGVu" }),
      new vscode.LanguageModelTextPart("42"),
    ]);
    assert.ok(picture[1] instanceof Data);
    assert.equal(picture[1].mimeType, "image/png");
    assert.ok(data[0] instanceof Data);
  });

  it("replay each error of a model with its code, and record no reply that breaks off", async () => {
    const dir = await aProjectFolder();
    const codeOf = (prompt: string, models: Awaited<ReturnType<typeof tape>>) =>
      models.ask(said(prompt)).then(
        () => "none",
        (error: unknown) =>
          error instanceof vscode.LanguageModelError ? `${error.code}: ${error.message}` : String(error),
      );
    const prompts = ["Blocked", "Not found", "No permissions"];
    const recording = await tape("record", dir);
    const recorded = [];
    for (const prompt of [...prompts, "Say three words then fail", "Fail"])
      recorded.push(await codeOf(prompt, recording));
    const kept = await statusesIn(recording.deck);
    await recording.deck.close();
    const replaying = await tape("strict", dir);
    const replayed = [];
    for (const prompt of prompts) replayed.push(await codeOf(prompt, replaying));
    await replaying.deck.close();

    assert.deepEqual(replayed, [
      "Blocked: This prompt is not allowed here.",
      "NotFound: The model was retired.",
      "NoPermissions: The quota is used up.",
    ]);
    assert.deepEqual(recorded.slice(0, 3), replayed);
    assert.match(recorded[3] ?? "", /The rest is not allowed here/);
    assert.match(recorded[4] ?? "", /The model stopped working/);
    assert.ok(!kept.includes(200), `no reply that broke off: ${kept.join()}`);
  });

  it("stop when they are cancelled, and are recorded whole or not at all", async () => {
    const dir = await aProjectFolder();
    const recording = await tape("record", dir);
    const cancelling = new vscode.CancellationTokenSource();
    const asked = recording.ask(said("Say three words slowly"), cancelling.token).catch(() => []);
    cancelling.cancel();

    assert.ok((await asked).length < 3);
    await recording.deck.close();
    const replaying = await tape("strict", dir);
    const whole = await replaying.ask(said("Say three words slowly")).catch(() => undefined);
    await replaying.deck.close();
    assert.ok(whole === undefined || whole.length === 3, JSON.stringify(whole));
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

    const { error } = (await json(body)) as { error: { code: string; message: string } };
    assert.equal(status, 404);
    assert.deepEqual(
      [error.code, error.message],
      ["NotFound", "This window has no language model stand-in/gone."],
    );
  });
});
