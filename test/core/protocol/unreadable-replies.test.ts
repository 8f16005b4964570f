import { describe, expect, it } from "vitest";
import { anthropicCountTokens } from "../../../src/core/protocol/anthropic/messages/protocol.ts";
import { bedrockCountTokens } from "../../../src/core/protocol/bedrock/count-tokens.ts";
import { cohereEmbed } from "../../../src/core/protocol/cohere/embed.ts";
import { cohereDetokenize, cohereTokenize } from "../../../src/core/protocol/cohere/tokens.ts";
import { geminiCountTokens } from "../../../src/core/protocol/gemini/count-tokens.ts";
import { geminiBatchEmbed, geminiEmbed } from "../../../src/core/protocol/gemini/embed.ts";
import { mistralOcr } from "../../../src/core/protocol/mistral/ocr.ts";
import { ollamaEmbed, ollamaEmbeddings } from "../../../src/core/protocol/ollama/embed.ts";
import { openaiEmbeddings } from "../../../src/core/protocol/openai/embeddings.ts";
import { openaiModerations } from "../../../src/core/protocol/openai/moderations.ts";
import type { Protocol } from "../../../src/core/protocol/protocol.ts";
import { rerank } from "../../../src/core/protocol/rerank.ts";
import { bytesOf } from "../../../src/core/wire/text.ts";

const neverStreamed: readonly (readonly [string, Protocol])[] = Object.entries({
  anthropicCountTokens,
  bedrockCountTokens,
  cohereDetokenize,
  cohereEmbed,
  cohereTokenize,
  geminiBatchEmbed,
  geminiCountTokens,
  geminiEmbed,
  mistralOcr,
  ollamaEmbed,
  ollamaEmbeddings,
  openaiEmbeddings,
  openaiModerations,
  rerank,
});

describe.each(neverStreamed)("%s, of a reply that is none of its own", (_, protocol) => {
  it.each([
    ["another object", "application/json", '{"hello": [1]}', '{"hello":[1]}'],
    ["no object", "application/json", "[1, 2]", "[1,2]"],
    ["no JSON", "text/html", "<h1>Bad Gateway</h1>", "<h1>Bad Gateway</h1>"],
    ["a stream", "text/event-stream", 'data: {"hello": 1}\n\n', "a stream"],
  ])("shows %s as what cannot be read", (_kind, contentType, body, shown) => {
    const { messages } = protocol.project({ status: 200, contentType, body: bytesOf(body) });

    expect(messages).toEqual([
      { role: "reply", parts: [{ type: "other", description: "unreadable reply", text: shown }] },
    ]);
  });
});
