import { describe, expect, it, test } from "vitest";
import { anthropicMessages } from "../../../src/core/protocol/anthropic/protocol.ts";
import { cohereChatV1 } from "../../../src/core/protocol/cohere/chat-v1.ts";
import { cohereChat } from "../../../src/core/protocol/cohere/chat-protocol.ts";
import { mistralConversations } from "../../../src/core/protocol/mistral/conversations-protocol.ts";
import type { ConversationMessage, Protocol } from "../../../src/core/protocol/base/protocol.ts";
import { detokenize, ocr, tokenize } from "../../../src/core/protocol/table/judged.ts";
import { cohereEmbed } from "../../../src/core/protocol/table/vectors.ts";
import { bytesOf } from "../../../src/core/base/wire/text.ts";

const cohere = { message: "invalid api token" };

describe("what failed is shown as an error", () => {
  it.each<readonly [string, Protocol, object, string]>([
    ["Cohere's embeddings", cohereEmbed, cohere, "invalid api token"],
    ["Cohere's tokens", tokenize, cohere, "invalid api token"],
    ["Cohere's text of tokens", detokenize, cohere, "invalid api token"],
    ["Cohere's chat", cohereChat, cohere, "invalid api token"],
    ["Cohere's older chat", cohereChatV1, cohere, "invalid api token"],
    ["Mistral's pages", ocr, { error: { message: "no", type: "bad" } }, "bad: no"],
    ["Mistral's pages", ocr, { object: "error", message: "no", type: "bad" }, "bad: no"],
    ["Mistral's conversations", mistralConversations, { error: "no" }, "no"],
    ["Mistral's conversations", mistralConversations, { object: "error", message: "no" }, "no"],
  ])("of %s", (_, protocol, reply, shown) => {
    const body = bytesOf(JSON.stringify(reply));

    const { messages } = protocol.project({ status: 400, contentType: "application/json", body });

    expect(messages).toEqual([failed(shown)]);
  });
});

describe("a failure in the middle of a stream is shown behind what came, and not recorded", () => {
  const newer = { type: "content-delta", index: 0, delta: { message: { content: { text: "Hel" } } } };
  it.each<readonly [string, Protocol, object]>([
    ["Cohere's chat", cohereChat, newer],
    ["Cohere's older chat", cohereChatV1, { event_type: "text-generation", text: "Hel" }],
  ])("of %s", (_, protocol, piece) => {
    const frames = [piece, { message: "overloaded" }].map((one) => `data: ${JSON.stringify(one)}\n\n`);
    const body = bytesOf(frames.join(""));

    const { messages } = protocol.project({ status: 200, contentType: "text/event-stream", body });

    expect(messages).toEqual([
      { role: "assistant", parts: [{ type: "text", text: "Hel" }] },
      failed("overloaded"),
    ]);
    expect(frames.map((frame) => protocol.stream?.isError(frame))).toEqual([false, true]);
  });
});

test("a failure that a gateway puts into Anthropic's stream is shown, and not recorded", () => {
  const message = { type: "message_start", message: { content: [] } };
  const frames = [message, { error: { message: "overloaded" } }].map(
    (one) => `data: ${JSON.stringify(one)}\n\n`,
  );
  const body = bytesOf(frames.join(""));

  const { messages } = anthropicMessages.project({ status: 200, contentType: "text/event-stream", body });

  expect(messages.at(-1)).toEqual(failed("overloaded"));
  expect(frames.map((frame) => anthropicMessages.stream?.isError(frame))).toEqual([false, true]);
});

function failed(text: string): ConversationMessage {
  return { role: "error", parts: [{ type: "text", text }] };
}
