const vscode = require("vscode");

/** A tool that the model can call to read the changes of a version. */
const CHANGES = {
  name: "read_changes",
  description: "Reads the commit subjects of a version.",
  inputSchema: {
    type: "object",
    properties: { version: { type: "string" } },
    required: ["version"],
  },
};

/** Tests set the vendor to "tapedeck", so that the answers come from recordings. */
let selector = { vendor: "copilot", family: "gpt-4o" };

/** Returns the model that the extension asks. */
async function selectModel() {
  const [model] = await vscode.lm.selectChatModels(selector);
  if (model === undefined) throw new Error("No language model is available.");
  return model;
}

/** Returns one sentence about a text. */
async function summarize(text, token = new vscode.CancellationTokenSource().token) {
  const prompt = vscode.LanguageModelChatMessage.User(`Summarize in one sentence: ${text}`);
  const response = await (await selectModel()).sendRequest([prompt], {}, token);
  let summary = "";
  for await (const piece of response.text) summary += piece;
  return summary;
}

/** Writes release notes. The model reads the changes with a tool first. */
async function writeNotes(version, readChanges) {
  const token = new vscode.CancellationTokenSource().token;
  const model = await selectModel();
  const messages = [vscode.LanguageModelChatMessage.User(`Write release notes for ${version}.`)];
  for (;;) {
    const response = await model.sendRequest(messages, { tools: [CHANGES] }, token);
    const parts = [];
    for await (const part of response.stream) parts.push(part);
    const calls = parts.filter((part) => part instanceof vscode.LanguageModelToolCallPart);
    if (calls.length === 0) return parts.map((part) => part.value ?? "").join("");
    messages.push(vscode.LanguageModelChatMessage.Assistant(calls));
    const results = calls.map(
      ({ callId, input }) =>
        new vscode.LanguageModelToolResultPart(callId, [
          new vscode.LanguageModelTextPart(readChanges(input.version)),
        ]),
    );
    messages.push(vscode.LanguageModelChatMessage.User(results));
  }
}

/** Returns whether a text fits the model. */
async function fits(text) {
  const model = await selectModel();
  return (await model.countTokens(text)) <= model.maxInputTokens;
}

exports.activate = () => ({
  summarize,
  writeNotes,
  fits,
  selectModel,
  use: (wanted) => {
    selector = wanted;
  },
});
