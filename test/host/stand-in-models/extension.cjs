// @ts-nocheck The types of the oldest supported VS Code have no providers of language models.
// Stands in for a real model provider such as Copilot, which needs an account: it answers by simple rules.
const vscode = require("vscode");

const MODEL = {
  id: "parrot-1",
  name: "Parrot",
  family: "parrot",
  version: "1",
  maxInputTokens: 1_000,
  maxOutputTokens: 1_000,
  capabilities: { imageInput: true, toolCalling: true },
};

const textOf = (content) =>
  typeof content === "string" ? content : content.map(({ value }) => value ?? "").join("");

const countWords = (text) => text.split(/\s+/).filter(Boolean).length;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Returns the parts of the answer. */
function answer(messages, { tools = [], modelOptions }) {
  const last = messages.at(-1).content;
  const text = textOf(last);
  const said = (value) => new vscode.LanguageModelTextPart(value);
  const result = last.find((part) => part instanceof vscode.LanguageModelToolResultPart);
  if (result !== undefined) return [said(`Notes: ${textOf(result.content)}`)];
  const [tool] = tools;
  if (tool?.name === "read_changes")
    return [new vscode.LanguageModelToolCallPart("call-1", tool.name, { version: "1.2" })];
  if (tool !== undefined) return [new vscode.LanguageModelToolCallPart("call-1", tool.name, { query: text })];
  const picture = last.find((part) => part instanceof vscode.LanguageModelDataPart);
  if (picture !== undefined) return [said(`A picture of ${picture.data.length} bytes`)];
  if (text.startsWith("Say three words")) return ["one ", "two ", "three"].map(said);
  if (text === "Think first")
    return [
      new vscode.LanguageModelThinkingPart("Six times seven. ", "thought-1", { signature: "c2lnbmVk" }),
      new vscode.LanguageModelThinkingPart("", "thought-2", { redacted: "aGlkZGVu" }),
      said("42"),
    ];
  if (text === "Draw a dot")
    return [
      said("Here: "),
      vscode.LanguageModelDataPart.image(Buffer.from("iVBORw0KGgo=", "base64"), "image/png"),
    ];
  if (text === "Give me data") return [vscode.LanguageModelDataPart.json({ answer: 42 })];
  if (text === "Repeat the options") return [said(JSON.stringify(modelOptions))];
  return [said(text.replace("Summarize in one sentence:", "In short:"))];
}

exports.activate = ({ subscriptions }) => {
  subscriptions.push(
    vscode.lm.registerLanguageModelChatProvider("stand-in", {
      provideLanguageModelChatInformation: () => [MODEL],
      async provideLanguageModelChatResponse(_model, messages, options, progress) {
        const text = textOf(messages.at(-1).content);
        if (text.startsWith("Blocked"))
          throw vscode.LanguageModelError.Blocked("This prompt is not allowed here.");
        if (text === "Not found") throw vscode.LanguageModelError.NotFound("The model was retired.");
        if (text === "No permissions") throw vscode.LanguageModelError.NoPermissions("The quota is used up.");
        if (text === "Fail") throw new Error("The model stopped working.");
        for (const part of answer(messages, options)) {
          progress.report(part);
          if (text.endsWith("slowly")) await pause(50);
        }
        if (text.endsWith("then fail"))
          throw vscode.LanguageModelError.Blocked("The rest is not allowed here.");
      },
      provideTokenCount: async (_model, text) =>
        countWords(typeof text === "string" ? text : textOf(text.content)),
    }),
  );
};
