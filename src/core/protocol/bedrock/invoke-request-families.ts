import { localize } from "../../base/localize.ts";
import { readAnthropicMessage as anthropicMessage } from "../anthropic/blocks.ts";
import { readAnthropicMessages as anthropicMessages, otherSettings } from "../anthropic/protocol.ts";
import { fillLabel, listSentMessages } from "../table/sent.ts";
import { COHERE_INPUTS, COHERE_LABEL, COHERE_SENDS } from "../table/vectors.ts";
import { getMember, plainJson, type JsonObject, writeJson } from "../../base/json/json-tree.ts";
import type { Conversation } from "../base/protocol.ts";
import { readFields, readText } from "../../base/lenient.ts";
import { createOtherPart, createTextPart } from "../base/parts.ts";
import { labelChat, getItems, shortenLabel, getText, getValue } from "../base/operation.ts";
import { listSettings } from "../base/settings.ts";
import { readConverseMessage, readConverseMessages, readConverseSettings } from "./converse-message.ts";

/** A request to invoke, read in the format of the model's vendor. */
export interface InvokeReading {
  readonly label: string;
  /** Whether the reply has vectors. */
  readonly embeds?: boolean;
  readonly messages: () => Conversation["messages"];
  readonly settings: () => Conversation["settings"];
}

/** Source: docs.aws.amazon.com/bedrock/latest/userguide/model-parameters.html, 2026-11. */
export function readInvoked(body: JsonObject, model: string): InvokeReading {
  if (getMember(body, "messages") !== undefined) {
    const isAnthropic = getMember(body, "anthropic_version") !== undefined;
    const read = isAnthropic ? anthropicMessage : readConverseMessage;
    return {
      label: labelChat(getItems(body, "messages"), (message) => read(message, "user")),
      messages: () => (isAnthropic ? anthropicMessages : readConverseMessages)(body),
      settings: () => (isAnthropic ? otherSettings : readConverseSettings)(body),
    };
  }
  if (isCohereEmbedding(body)) {
    const sent = { id: "", fields: readFields(plainJson(body)), files: [] };
    return {
      label: fillLabel(COHERE_LABEL, sent),
      embeds: true,
      messages: () => listSentMessages(COHERE_SENDS, sent),
      settings: () => listSettings(body, COHERE_INPUTS),
    };
  }
  const prompt = promptIn(body);
  if (prompt === undefined) {
    const json = (): string => writeJson(body, { indent: 2, colon: ": " });
    return {
      label: localize("invoke"),
      messages: () => [{ role: "request", parts: [createOtherPart("JSON", json())] }],
      settings: () => [],
    };
  }
  const isEmbedding = prompt.embeds || /embed/i.test(model);
  return {
    label: isEmbedding ? localize("1 text to embed") : shortenLabel(prompt.text),
    embeds: isEmbedding,
    messages: () => [
      { role: isEmbedding ? localize("to embed") : "user", parts: [createTextPart(prompt.text)] },
    ],
    settings: () => listSettings(body, [prompt.member]),
  };
}

export function isCohereEmbedding(body: JsonObject): boolean {
  return COHERE_INPUTS.some((name) => getMember(body, name) !== undefined);
}

/** Finds the prompt: `prompt` of Llama and Mistral, `inputText` of Titan, the text of Nova's images and embeddings. */
function promptIn(
  body: JsonObject,
): { readonly text: string; readonly member: string; readonly embeds: boolean } | undefined {
  for (const name of ["prompt", "inputText"]) {
    const text = getText(body, name);
    const embeds = name === "inputText" && ["normalize", "dimensions"].some((one) => getMember(body, one));
    if (text !== undefined) return { text, member: name, embeds };
  }
  for (const name of ["singleEmbeddingParams", "textToImageParams"]) {
    const text = readFields(getValue(body, name))["text"];
    const value = readText(text) ?? readText(readFields(text)["value"]);
    if (value !== undefined) return { text: value, member: name, embeds: name.includes("Embedding") };
  }
  return undefined;
}
