import { describe, expect, it } from "vitest";
import { anthropicCountTokens } from "../../../src/core/protocol/anthropic/count-tokens/protocol.ts";
import { bedrockCountTokens } from "../../../src/core/protocol/bedrock/count-tokens/protocol.ts";
import { cohereEmbed } from "../../../src/core/protocol/cohere/embed/protocol.ts";
import { cohereDetokenize, cohereTokenize } from "../../../src/core/protocol/cohere/tokens/protocol.ts";
import { geminiCountTokens } from "../../../src/core/protocol/gemini/count-tokens/protocol.ts";
import { geminiBatchEmbed, geminiEmbed } from "../../../src/core/protocol/gemini/embed/protocol.ts";
import { mistralOcr } from "../../../src/core/protocol/mistral/ocr/protocol.ts";
import { ollamaEmbed, ollamaEmbeddings } from "../../../src/core/protocol/ollama/embed/protocol.ts";
import { openaiEmbeddings } from "../../../src/core/protocol/openai/embeddings/protocol.ts";
import { openaiModerations } from "../../../src/core/protocol/openai/moderations/protocol.ts";
import type { Protocol } from "../../../src/core/protocol/protocol.ts";
import { rerank } from "../../../src/core/protocol/rerank/protocol.ts";
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
