import { conversationFrom as anthropicConversation } from "../../anthropic/messages/conversation.ts";
import { messageFrom as anthropicMessage } from "../../anthropic/messages/blocks.ts";
import { conversationFrom } from "../converse/conversation.ts";
import { messageFrom } from "../converse/message.ts";
import { embedLabel, partsToEmbed } from "../../cohere/embed/protocol.ts";
import { writeJson } from "../../../json/json-write.ts";
import { member, type JsonObject } from "../../../json/json-tree.ts";
import { fieldsOf, textIn } from "../../reading/lenient.ts";
import type { Conversation, Message } from "../../protocol.ts";
import { shortLabel, valueAt } from "../../reading/request.ts";
import { settingsOf } from "../../reading/settings.ts";
import { userLabel } from "../../user-label.ts";

/** What a request asks, by the family that its members tell. */
export interface InvokeReading {
  readonly label: string;
  conversation(): Conversation;
}

/** Source: docs.aws.amazon.com/bedrock/latest/userguide/model-parameters.html, 2026-11. */
export function readInvoked(body: JsonObject, model: string): InvokeReading {
  const messages = member(body, "messages");
  if (messages !== undefined) {
    const isAnthropic = member(body, "anthropic_version") !== undefined;
    const read = isAnthropic ? anthropicMessage : messageFrom;
    return {
      label: userLabel(messages, (message) => read(message, "user")),
      conversation: () => (isAnthropic ? anthropicConversation(body) : conversationFrom(body)),
    };
  }
  if (["texts", "images", "inputs"].some((name) => member(body, name) !== undefined)) {
    return {
      label: embedLabel(body),
      conversation: () => ({
        messages: [{ role: "to embed", parts: partsToEmbed(body) }],
        settings: settingsOf(body, ["texts", "images", "inputs"]),
      }),
    };
  }
  const prompt = promptIn(body);
  if (prompt === undefined) return { label: "invoke", conversation: () => plainConversation(body) };
  const isEmbedding = prompt.embeds || /embed/i.test(model);
  return {
    label: isEmbedding ? "1 text to embed" : shortLabel(prompt.text),
    conversation: () => ({
      messages: [
        { role: isEmbedding ? "to embed" : "user", parts: [{ type: "text", text: prompt.text }] },
      ] satisfies Message[],
      settings: settingsOf(body, [prompt.member]),
    }),
  };
}

/** Llama's and Mistral's `prompt`, Titan's `inputText`, the texts of Nova's pictures and embeddings. */
function promptIn(
  body: JsonObject,
): { readonly text: string; readonly member: string; readonly embeds: boolean } | undefined {
  for (const name of ["prompt", "inputText"]) {
    const text = textIn(valueAt(body, name));
    const embeds = name === "inputText" && ["normalize", "dimensions"].some((one) => member(body, one));
    if (text !== undefined) return { text, member: name, embeds };
  }
  for (const name of ["singleEmbeddingParams", "textToImageParams"]) {
    const text = fieldsOf(valueAt(body, name))["text"];
    const value = textIn(text) ?? textIn(fieldsOf(text)["value"]);
    if (value !== undefined) return { text: value, member: name, embeds: name.includes("Embedding") };
  }
  return undefined;
}

function plainConversation(body: JsonObject): Conversation {
  const text = writeJson(body, { indent: 2, colon: ": " });
  return {
    messages: [{ role: "request", parts: [{ type: "other", description: "JSON", text }] }],
    settings: [],
  };
}
