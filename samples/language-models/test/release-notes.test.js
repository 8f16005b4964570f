const assert = require("node:assert/strict");
const vscode = require("vscode");

const User = (content) => vscode.LanguageModelChatMessage.User(content);

/** A PNG of one pixel. */
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

let notes;
let model;
const never = new vscode.CancellationTokenSource().token;

before(async () => {
  notes = await vscode.extensions.getExtension("tapedeck-samples.release-notes").activate();
  notes.use({ vendor: "tapedeck", family: "parrot" });
  model = await notes.selectModel();
});

async function ask(content, options = {}, token = never) {
  const response = await model.sendRequest([User(content)], options, token);
  const parts = [];
  for await (const part of response.stream) parts.push(part);
  return parts;
}

describe("release notes", () => {
  it("summarizes a text", async () => {
    assert.equal(await notes.summarize("The parser is faster."), "In short: The parser is faster.");
  });

  it("summarizes another text", async () => {
    assert.equal(await notes.summarize("The cache is gone."), "In short: The cache is gone.");
  });

  it("reads the changes with a tool", async () => {
    const asked = [];
    const text = await notes.writeNotes("1.2", (version) => {
      asked.push(version);
      return "fix: close the file";
    });
    assert.deepEqual(asked, ["1.2"]);
    assert.equal(text, "Notes: fix: close the file");
  });
});

describe("a model", () => {
  it("gets the text in several pieces", async () => {
    const parts = await ask("Say three words");
    assert.deepEqual(
      parts.map(({ value }) => value),
      ["one ", "two ", "three"],
    );
  });

  it("must call a tool if it is required", async () => {
    const tools = [{ name: "search", description: "Searches", inputSchema: { type: "object" } }];
    const [call] = await ask("Find it", { tools, toolMode: vscode.LanguageModelChatToolMode.Required });
    assert.equal(call.name, "search");
    assert.deepEqual(call.input, { query: "Find it" });
  });

  it("sends a picture", async () => {
    const picture = vscode.LanguageModelDataPart.image(Buffer.from(PIXEL, "base64"), "image/png");
    const [answer] = await ask([new vscode.LanguageModelTextPart("Describe"), picture]);
    assert.match(answer.value, /^A picture of \d+ bytes$/);
  });

  it("gets data", async () => {
    const [part] = await ask("Give me data");
    assert.equal(part.mimeType, "text/x-json");
    assert.deepEqual(JSON.parse(new TextDecoder().decode(part.data)), { answer: 42 });
  });

  it("passes options of the model on", async () => {
    const [answer] = await ask("Repeat the options", { modelOptions: { temperature: 0.2 } });
    assert.equal(answer.value, '{"temperature":0.2}');
  });
});

describe("tokens, errors, and cancellation", () => {
  it("counts the tokens of a text", async () => {
    assert.equal(await model.countTokens("five words are in here"), 5);
    assert.equal(await notes.fits("short"), true);
  });

  it("counts the tokens of a message", async () => {
    assert.equal(await model.countTokens(User("two words")), 2);
  });

  it("gets the error of the model", async () => {
    await assert.rejects(ask("Blocked, please"), (error) => {
      assert.ok(error instanceof vscode.LanguageModelError);
      assert.equal(error.code, vscode.LanguageModelError.Blocked.name);
      assert.match(error.message, /not allowed here/);
      return true;
    });
  });

  it("ends when it is cancelled", async () => {
    const cancelling = new vscode.CancellationTokenSource();
    const response = await model.sendRequest([User("Say three words slowly")], {}, cancelling.token);
    const words = [];
    try {
      for await (const word of response.text) {
        words.push(word);
        cancelling.cancel();
      }
    } catch (error) {
      assert.ok(error instanceof vscode.CancellationError || /cancel/i.test(error.message), String(error));
    }
    assert.equal(words[0], "one ");
  });
});
