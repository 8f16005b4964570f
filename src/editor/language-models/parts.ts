import * as vscode from "vscode";
import { pickDefined } from "../../core/base/pick-defined.ts";
import type { ModelPart, WireMessage } from "./wire-model.ts";
import { newerVscode, type ModelMessage } from "./newer-vscode.ts";

/** Reads a message that an extension sends to a model. */
export const readMessage = ({ role, name, content }: ModelMessage): WireMessage => ({
  role: ROLES[role] ?? "system",
  name,
  parts: content.map(readPart),
});

const ROLES: Readonly<Partial<Record<number, "user" | "assistant">>> = {
  [vscode.LanguageModelChatMessageRole.User]: "user",
  [vscode.LanguageModelChatMessageRole.Assistant]: "assistant",
};

/** Reads a part of a message or of a reply. A part that VS Code does not document becomes its JSON. */
export function readPart(part: unknown): ModelPart {
  const { LanguageModelDataPart: Data, LanguageModelThinkingPart: Thinking } = newerVscode;
  if (part instanceof vscode.LanguageModelTextPart) return { type: "text", text: part.value };
  if (part instanceof vscode.LanguageModelToolCallPart)
    return { type: "tool-call", id: part.callId, name: part.name, input: part.input };
  if (part instanceof vscode.LanguageModelToolResultPart)
    return { type: "tool-result", id: part.callId, parts: part.content.map(readPart) };
  if (Data && part instanceof Data) return { type: "data", mimeType: part.mimeType, bytes: part.data };
  if (Thinking && part instanceof Thinking) {
    const { value, id, metadata } = part;
    return { type: "thinking", text: [value].flat().join(""), ...pickDefined({ id, metadata }) };
  }
  return { type: "text", text: typeof part === "string" ? part : JSON.stringify(part) };
}

/** Returns VS Code's part of a recorded one; undefined if this VS Code has no class for it. */
export function createPart(part: ModelPart): object | undefined {
  const { LanguageModelDataPart: Data, LanguageModelThinkingPart: Thinking } = newerVscode;
  if (part.type === "text") return new vscode.LanguageModelTextPart(part.text);
  if (part.type === "tool-call") return new vscode.LanguageModelToolCallPart(part.id, part.name, part.input);
  if (part.type === "data") return Data && new Data(part.bytes, part.mimeType);
  if (part.type === "thinking") return Thinking && new Thinking(part.text, part.id, part.metadata);
  return undefined;
}
